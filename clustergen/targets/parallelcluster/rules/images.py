"""Images, operating systems and architectures."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import InstanceType, families
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.parallelcluster import limits

_TARGET = "parallelcluster"
_CUSTOM = "https://docs.aws.amazon.com/parallelcluster/latest/ug/building-custom-ami-v3.html"

NO_OFFICIAL = Rule(
    code="IMG101",
    title="No official image of this operating system",
    why="ParallelCluster publishes no Rocky Linux images: every node needs one built with "
    "`pcluster build-image`.",
    source=_CUSTOM,
    target=_TARGET,
    bad="software: {os: rocky9}",
    good="""software: {os: rocky9}
head_node: {image: ami-0a1b2c3d4e5f67890}
node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]""",
)
ULTRASERVER_OS = Rule(
    code="IMG102",
    title="P6e-GB200 does not run on this operating system",
    why="The drivers of the UltraServer are in other images only.",
    source="pcluster.constants: UNSUPPORTED_OSES_FOR_P6E_GB200",
    target=_TARGET,
    bad="""software: {os: rhel9}
head_node: {instance_type: m8g.4xlarge}
node_groups:
  - name: h200
    instance_type: p6e-gb200.36xlarge
    count: 9
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890}""",
    good="software: {os: ubuntu2404}",
)
NO_DRIVER = Rule(
    code="IMG103",
    title="The official images have no driver for this GPU",
    why="They carry the open NVIDIA kernel module, which starts with the Turing generation.",
    source="pcluster.constants: NVIDIA_OPENRM_UNSUPPORTED_INSTANCE_TYPES",
    target=_TARGET,
    bad="node_groups: [{name: h200, instance_type: p3dn.24xlarge}]",
    good="node_groups: [{name: h200, instance_type: g6e.2xlarge}]",
)
ARCHITECTURE = Rule(
    code="IMG104",
    title="Nodes of different architectures",
    why="Slurm and the shared software are installed once, on the head node, for one architecture.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html",
    target=_TARGET,
    bad="node_groups: [{name: h200, instance_type: hpc7g.16xlarge}]",
    good="""head_node: {instance_type: m8g.4xlarge}
node_groups: [{name: h200, instance_type: hpc7g.16xlarge}]""",
)
KEY_TYPE = Rule(
    code="IMG105",
    title="The key pair must not be an RSA one",
    why="Ubuntu's SSH server refuses RSA keys of the kind EC2 makes; ParallelCluster checks it.",
    source="pcluster.validators.ec2_validators: KeyPairValidator",
    severity=Severity.NOTE,
    target=_TARGET,
    bad="targets: {parallelcluster: {key_name: admin}}",
    good="""software: {os: alinux2023}
targets: {parallelcluster: {key_name: admin}}""",
)
TOO_SMALL = Rule(
    code="IMG106",
    title="A micro or nano instance",
    why="The node's software needs some 1.7 GB of memory on this operating system.",
    source="pcluster.validators.ec2_validators: InstanceTypeOSCompatibleValidator",
    severity=Severity.WARNING,
    target=_TARGET,
    bad="node_groups: [{name: h200, instance_type: t3.micro}]",
    good="node_groups: [{name: h200, instance_type: t3.small}]",
)
NO_DOCKER = Rule(
    code="IMG107",
    title="No Docker package in this distribution",
    why="Docker is installed at boot from the distribution's own repositories; RHEL and Rocky "
    "Linux have Podman there instead.",
    source="https://docs.docker.com/engine/install/rhel/",
    target=_TARGET,
    bad="software: {os: rhel9, containers: docker}",
    good="software: {os: rhel9, containers: pyxis}",
)
RULES = (NO_OFFICIAL, ULTRASERVER_OS, NO_DRIVER, ARCHITECTURE, KEY_TYPE, TOO_SMALL, NO_DOCKER)


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on what the nodes boot."""
    yield from _official(plan)
    yield from _architectures(plan)
    for group in plan.node_groups:
        yield from _types(plan, group)
    for machine in (plan.head, plan.login):
        if machine:
            at = (*machine.path, "instance_type")
            yield from _type(plan, machine.type, at, official=machine.image is None)
    yield from _software(plan)


def _official(plan: Plan) -> Iterator[Finding]:
    if plan.software.os not in limits.OSES_WITHOUT_IMAGE:
        return
    machines = [machine for machine in (plan.head, plan.login) if machine]
    nodes = [*((m.path, m.image) for m in machines), *((g.path, g.image) for g in plan.node_groups)]
    lacking = [_words(path) for path, image in nodes if not image]
    if lacking:
        yield NO_OFFICIAL.at(
            ("software", "os"),
            f"ParallelCluster has no {plan.software.os} image; without one: {', '.join(lacking)}",
            help=f"set image: ami-... for {', '.join(lacking)}, or take ubuntu2404 or alinux2023",
        )


def _words(path: Path) -> str:
    first, *rest = path
    return str(first) + "".join(f"[{step}]" for step in rest)


def _architectures(plan: Plan) -> Iterator[Finding]:
    """Head and login nodes follow the compute nodes; these, if they differ, the head node."""
    compute = {type.arch for type in plan.instance_types}
    arch = compute.pop() if len(compute) == 1 else plan.head.type.arch if plan.head else ""
    nodes = [((*m.path, "instance_type"), m.type) for m in (plan.head, plan.login) if m]
    for group in plan.node_groups:
        field = "instance_type" if len(group.types) == 1 else "instance_types"
        nodes.append((group.at(field), group.type))
    for path, type in nodes:
        if type.arch != arch:
            yield ARCHITECTURE.at(
                path,
                f"{type.name} is {type.arch}, the rest of the cluster is {arch}",
                help=f"take {_LIKE[arch]}" if arch in _LIKE else "",
            )


_LIKE = {
    "arm64": "a Graviton type, such as m8g.4xlarge",
    "x86_64": "an Intel or AMD type, such as m7i.4xlarge",
}


def _types(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    several = len(group.types) > 1
    for index, type in enumerate(group.types):
        at = group.at("instance_types", index) if several else group.at("instance_type")
        yield from _type(plan, type, at, official=group.image is None)


def _type(plan: Plan, type: InstanceType, at: Path, *, official: bool) -> Iterator[Finding]:
    os = plan.software.os
    family = families.find(type.family)
    if os in family.parallelcluster_without:
        yield ULTRASERVER_OS.at(
            at,
            f"{type.name} does not run with {os}",
            help="take ubuntu2404, ubuntu2204 or alinux2023",
        )
    if not family.open_driver and official:
        yield NO_DRIVER.at(
            at, f"the official images do not drive {type.name}", help="take g4dn, g5 or later"
        )
    if type.size in ("micro", "nano") and os in limits.OSES_TOO_BIG_FOR_MICRO:
        yield TOO_SMALL.at(
            at, f"{type.name} is small for {os}", help=f"take {type.family}.small or larger"
        )


def _software(plan: Plan) -> Iterator[Finding]:
    os = plan.software.os
    if plan.options.key_name and os in limits.OSES_WITHOUT_RSA_KEYS:
        yield KEY_TYPE.at(
            ("targets", "parallelcluster", "key_name"),
            f"{plan.options.key_name!r} must be an ED25519 key pair, for {os}",
            help="aws ec2 create-key-pair --key-type ed25519",
        )
    if plan.software.containers == "docker" and os not in limits.OSES_WITH_DOCKER:
        yield NO_DOCKER.at(
            ("software", "containers"),
            f"{os} has no docker package",
            help="write containers: pyxis, or take " + ", ".join(limits.OSES_WITH_DOCKER),
        )

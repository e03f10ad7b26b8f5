"""Images, operating systems and architectures."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, Severity, put, unsafe
from clustergen.facts.catalog import InstanceType, families
from clustergen.facts.catalog.instance import Accelerator
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule, warning


@rule(
    "IMG102",
    "P6e-GB200 does not run on this operating system",
    why="Only the images of other operating systems have the drivers of the UltraServer.",
    source="pcluster.constants: UNSUPPORTED_OSES_FOR_P6E_GB200",
    bad="""software: {os: rhel9}
head_node: {instance_type: m8g.4xlarge}
node_groups:
  - {name: h200, instance_type: p6e-gb200.36xlarge, count: 9,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)
def ultraserver_os(plan: Plan) -> Iterator[Problem]:
    os = plan.software.os
    for path, type, _ in _instances(plan):
        if os in families.find(type.family).parallelcluster_without:
            yield Problem(
                path,
                f"{type.name} does not run with {os}",
                help="use ubuntu2404, ubuntu2204 or alinux2023",
                fix=unsafe(put(("software", "os"), "ubuntu2404")),
            )


@rule(
    "IMG103",
    "The official images have no driver for this accelerator",
    why="They have the open NVIDIA kernel module, which starts with the Turing generation, and "
    "AWS's own drivers.",
    source="pcluster.constants: NVIDIA_OPENRM_UNSUPPORTED_INSTANCE_TYPES",
    bad="node_groups: [{name: h200, instance_type: p3dn.24xlarge}]",
    good="node_groups: [{name: h200, instance_type: g6e.2xlarge}]",
)
def no_driver(plan: Plan) -> Iterator[Problem]:
    for path, type, image in _instances(plan):
        foreign = _is_foreign(type.accelerator)
        if image is None and (foreign or not families.find(type.family).open_driver):
            yield Problem(
                path,
                f"the official images have no driver for {type.name}",
                help="use an image with the driver" if foreign else "use g4dn, g5 or later",
                severity=Severity.WARNING if foreign else None,
            )


def _is_foreign(found: Accelerator | None) -> bool:
    """As InstanceTypeAcceleratorManufacturerValidator of pcluster says."""
    if found is None or found.kind not in ("gpu", "inference"):
        return False
    return found.manufacturer not in ("NVIDIA", "AWS")


@rule(
    "IMG104",
    "Nodes of different architectures",
    why="Slurm and the shared software are installed once, on the head node, for one architecture.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html",
    bad="node_groups: [{name: h200, instance_type: hpc7g.16xlarge}]",
)
def architectures(plan: Plan) -> Iterator[Problem]:
    arch = _architecture(plan)
    nodes = [((*machine.path, "instance_type"), machine.type) for machine in plan.machines]
    for group in plan.node_groups:
        field = "instance_type" if len(group.types) == 1 else "instance_types"
        nodes.append((group.at(field), group.type))
    for path, type in nodes:
        if type.arch != arch:
            yield Problem(
                path,
                f"{type.name}{_named(plan, path)} is {type.arch}, the rest of the cluster is "
                f"{arch}",
                help=f"use {_LIKE[arch][0]}, such as {_LIKE[arch][1]}" if arch in _LIKE else "",
                # Login nodes start, and run what their users install for them.
                severity=Severity.WARNING if path[0] == "login" else None,
                fix=unsafe(put(path, _LIKE[arch][1]))
                if arch in _LIKE and path[0] != "node_groups"
                else None,
            )


@warning(
    "IMG106",
    "A micro or nano instance",
    why="The node's software needs about 1.7 GB of memory on this operating system.",
    source="pcluster.validators.ec2_validators: InstanceTypeOSCompatibleValidator",
    bad="node_groups: [{name: h200, instance_type: t3.micro}]",
)
def too_small(plan: Plan) -> Iterator[Problem]:
    os = plan.software.os
    for path, type, _ in _instances(plan):
        if type.size in ("micro", "nano") and os in limits.OSES_TOO_BIG_FOR_MICRO:
            yield Problem(
                path,
                f"{type.name} is small for {os}",
                help=f"use {type.family}.small or larger",
                fix=unsafe(put(path, f"{type.family}.small")),
            )


@rule(
    "IMG107",
    "No Docker package in this distribution",
    why="Docker is installed at boot from the distribution's own repositories; RHEL and Rocky "
    "Linux have Podman there instead.",
    source="https://docs.docker.com/engine/install/rhel/",
    bad="software: {os: rhel9, containers: docker}",
)
def no_docker(plan: Plan) -> Iterator[Problem]:
    os = plan.software.os
    if plan.software.containers == "docker" and os not in limits.OSES_WITH_DOCKER:
        yield Problem(
            ("software", "containers"),
            f"{os} has no docker package",
            help="write containers: pyxis, or use " + ", ".join(limits.OSES_WITH_DOCKER),
            fix=unsafe(put(("software", "containers"), "pyxis")),
        )


def _named(plan: Plan, path: Path) -> str:
    """What a type that the spec does not write is for: the finding is at no line of its own."""
    return "" if plan.wrote(*path) else f", the default of {path[0]},"


_LIKE = {
    "arm64": ("a Graviton type", "m8g.4xlarge"),
    "x86_64": ("an Intel or AMD type", "m7i.4xlarge"),
}


def _architecture(plan: Plan) -> str:
    """The architecture of compute nodes, or of the head node if compute nodes differ."""
    compute = {type.arch for type in plan.instance_types}
    if len(compute) == 1:
        return compute.pop()
    return plan.head.type.arch if plan.head else ""


def _instances(plan: Plan) -> Iterator[tuple[Path, InstanceType, str | None]]:
    for group in plan.node_groups:
        yield from ((path, type, group.image) for path, type in group.typed)
    for machine in plan.machines:
        yield (*machine.path, "instance_type"), machine.type, machine.image

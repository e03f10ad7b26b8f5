"""Region, subnets, network interfaces and images."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import services
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Bucket, NodeGroup, Plan
from clustergen.targets.pcs import limits, settings, subnets
from clustergen.targets.pcs.limits import USER_GUIDE

_EFA = f"{USER_GUIDE}working-with_networking_efa_create-lt.html"

REGION = Rule(
    code="NET201",
    title="Region without PCS",
    why="The service is not in every region; the list is of the date that the catalog says.",
    source="https://docs.aws.amazon.com/general/latest/gr/pcs.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="region: us-west-1\nnetwork: {zone: usw1-az1}",
    good="region: us-west-2\nnetwork: {zone: usw2-az1}",
)
LOCAL_ZONE = Rule(
    code="NET202",
    title="Controller in a Local Zone",
    why="PCS puts the controller's interface into one subnet, which cannot be in a Local Zone.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_NetworkingRequest.html",
    target="pcs",
    bad="network: {zone: use1-dfw2-az1}",
    good="network: {zone: use1-az6}",
)
EFA_ONLY = Rule(
    code="NIC201",
    title="EFA interfaces in a form that PCS does not document",
    why="The pages of PCS show interfaces of type efa only, and those who ran efa-only reported "
    "that it did not reach the nodes.",
    source=_EFA,
    severity=Severity.WARNING,
    target="pcs",
    bad="node_groups: [{name: h200, efa_layout: efa-only}]",
    good="node_groups: [{name: h200, efa_layout: efa}]",
)
FORCED_EFA_ONLY = Rule(
    code="NIC202",
    title="Instance type whose EFA is efa-only",
    why="Its fastest network cards carry nothing else, and PCS documents interfaces of type efa "
    "only: try a small node group first.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="node_groups: [{name: gb200, instance_type: p6e-gb200.36xlarge, count: 18, "
    "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
)
IMAGE = Rule(
    code="IMG201",
    title="Operating system without a ready image",
    why="AWS publishes an image for PCS, findable by name, for Ubuntu 24.04 only.",
    source=f"{USER_GUIDE}working-with_ami.html",
    target="pcs",
    bad="software: {os: rhel9}",
    good="software: {os: rhel9}\nnode_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
)
LACKING = Rule(
    code="IMG202",
    title="Software that the default image lacks",
    why="PCS nodes run what their image brings. The default one has the drivers of NVIDIA GPUs, "
    "EFA and the clients of Lustre and EFS, but not the Neuron driver, Mountpoint for Amazon S3, "
    "or Enroot with Pyxis, which is built for one Slurm version.",
    source=f"{USER_GUIDE}working-with_ami_pcs-ready-dlami.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="software: {containers: pyxis}",
    good="software: {containers: pyxis}\nnode_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
)
MACOS = Rule(
    code="IMG203",
    title="Instances that run macOS",
    why="PCS nodes run Linux; Mac instances run macOS on hosts of their own.",
    source=f"{USER_GUIDE}operating-systems.html",
    target="pcs",
    bad="node_groups: [{name: h200, instance_type: mac2.metal}]",
    good="node_groups: [{name: h200, instance_type: m7g.metal}]",
)
RULES = (REGION, LOCAL_ZONE, EFA_ONLY, FORCED_EFA_ONLY, IMAGE, LACKING, MACOS)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    yield from _region(plan)
    yield from _network(plan)
    for group in plan.node_groups:
        yield from _interfaces(plan, group)
    yield from _images(plan)
    yield from _macos(plan)


def _region(plan: Plan) -> Iterator[Finding]:
    if services.available("pcs", plan.region) is False:
        near = ", ".join(services.SERVICES["pcs"].nearest(plan.region))
        yield REGION.at(
            ("region",),
            f"PCS was not in {plan.region} on {services.SERVICES['pcs'].date}",
            help=f"regions that have it: {near}" if near else "",
        )


def _network(plan: Plan) -> Iterator[Finding]:
    if subnets.of_controller(plan) is None:
        yield LOCAL_ZONE.at(
            ("network", "zone"),
            f"{plan.network.zone} is a Local Zone, and no private subnet is elsewhere",
            help="give an existing VPC with a private subnet in a zone of the region too",
        )


def _interfaces(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    if all(interface.type != "efa-only" for interface in group.interfaces):
        return
    if plan.wrote(*group.at("efa_layout")) and group.efa_layout == "efa-only":
        addresses = sum("efa" in card.interface_types for card in group.type.cards)
        yield EFA_ONLY.at(
            group.at("efa_layout"),
            f"{group.name} has efa-only interfaces",
            help=f"write efa; it takes {addresses} addresses a node",
        )
    else:
        yield FORCED_EFA_ONLY.at(
            group.at("instance_type"),
            f"{group.type.name} has cards that are efa-only",
            help="start with a few nodes, and check `fi_info -p efa` on them",
        )


def _images(plan: Plan) -> Iterator[Finding]:
    defaulted = list(_defaulted(plan))
    if plan.software.os != limits.DEFAULT_IMAGE_OS:
        for path, who in defaulted:
            yield IMAGE.at(
                path,
                f"no image of {plan.software.os} is known for {who}",
                help=f"add image: ami-..., or write software.os: {limits.DEFAULT_IMAGE_OS}",
            )
    elif defaulted:
        yield from _lacking(plan, ", ".join(who for _, who in defaulted))


def _lacking(plan: Plan, nodes: str) -> Iterator[Finding]:
    """What the spec asks of ``nodes`` that the default image, which they boot, cannot do."""
    for path, software, who in _asked(plan, nodes):
        yield LACKING.at(
            path,
            f"the default image has no {software}; it is booted by {who}",
            help="give them image: ami-... that has it",
        )


def _asked(plan: Plan, nodes: str) -> Iterator[tuple[Path, str, str]]:
    if plan.software.containers == "pyxis":
        version = settings.version(plan)
        yield ("software", "containers"), f"Enroot with Pyxis for Slurm {version}", nodes
    for item in plan.storage:
        if isinstance(item, Bucket):
            yield item.at("type"), "mount-s3", nodes
    for group in plan.node_groups:
        if group.type.neuron_devices and not group.image:
            yield group.at("name"), "Neuron driver", f"nodes of {group.name}"


def _macos(plan: Plan) -> Iterator[Finding]:
    machines = [
        (group.at("instance_type"), type) for group in plan.node_groups for type in group.types
    ]
    if plan.login:
        machines.append(((*plan.login.path, "instance_type"), plan.login.type))
    for path, type in machines:
        if type.arch not in limits.ARCHITECTURES:
            yield MACOS.at(path, f"{type.name} runs macOS", help="take a type that runs Linux")


def _defaulted(plan: Plan) -> Iterator[tuple[Path, str]]:
    """The places whose nodes take the default image."""
    for group in plan.node_groups:
        if not group.image:
            yield group.at("name"), f"nodes of {group.name}"
    if plan.login and not plan.login.image:
        yield plan.login.path, "login nodes"

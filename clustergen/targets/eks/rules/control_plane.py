"""Where the control plane is, who reaches it, and who may do everything in it."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import regions, services
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits

_NODES = "{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}"
_VPC = f"""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{_NODES}]"""
_TWO_ZONES = f"""{_VPC}
  control_plane_subnets:
    - {{id: subnet-0a1b2c3d4e5f67891, zone: use1-az6, cidr: 10.42.255.224/28}}
    - {{id: subnet-0a1b2c3d4e5f67892, zone: use1-az2, cidr: 10.42.255.240/28}}"""

ONE_ZONE = Rule(
    code="NET500",
    title="Control plane in one zone",
    why="EKS puts the interfaces of a control plane into subnets of two zones or more; nodes may "
    "stay in one.",
    source=limits.NETWORK,
    target="eks",
    bad=_VPC,
    good=_TWO_ZONES,
)
ZONE = Rule(
    code="NET501",
    title="Zone that takes no control plane",
    why="A few old zones and all Local Zones have no room for the interfaces of a control plane.",
    source=limits.NETWORK,
    target="eks",
    bad=_TWO_ZONES.replace("use1-az2", "use1-az3"),
    good=_TWO_ZONES,
)
OPEN = Rule(
    code="NET502",
    title="API of the cluster open to everybody",
    why="Whoever holds a leaked credential reaches the API from anywhere; every flaw of the API "
    "server can be tried by everyone.",
    source=limits.ENDPOINT,
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {public_endpoint_from: [0.0.0.0/0]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
PRIVATE = Rule(
    code="NET503",
    title="API of the cluster reachable from the VPC only",
    why="The software in the cluster is installed through its API, by whoever runs the script.",
    source=limits.ENDPOINT,
    severity=Severity.NOTE,
    target="eks",
    bad="kubernetes: {public_endpoint_from: []}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
OLD_EFA = Rule(
    code="NIC500",
    title="Security groups that may not let EFA through",
    why="Before Kubernetes 1.33 the cluster's own security group lets no EFA out: another group of "
    "the nodes has to have all traffic with itself, both ways.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html",
    severity=Severity.WARNING,
    target="eks",
    bad=f"{_TWO_ZONES}\n  security_groups: [sg-0a1b2c3d4e5f67890]\n"
    "kubernetes: {version: '1.32', support: extended}",
    good=f"{_TWO_ZONES}\n  security_groups: [sg-0a1b2c3d4e5f67890]\n"
    "kubernetes: {version: '1.35'}",
)
REGION = Rule(
    code="NET504",
    title="Region without managed node groups of EKS",
    why="The service is not in every region; the list is of the date that the catalog says.",
    source="https://docs.aws.amazon.com/general/latest/gr/eks.html",
    severity=Severity.WARNING,
    target="eks",
    bad="region: me-south-1\nnetwork: {zone: mes1-az1}",
    good="region: us-west-2\nnetwork: {zone: usw2-az1}",
)
REGISTRIES = Rule(
    code="NET505",
    title="Container images from outside China",
    why="The charts and images of the software in the cluster are in registries outside China, "
    "which nodes there reach slowly or not at all.",
    source="https://docs.amazonaws.cn/en_us/aws/latest/userguide/ecr-public.html",
    severity=Severity.WARNING,
    target="eks",
    bad="region: cn-north-1\nnetwork: {zone: cnn1-az1}\n"
    "node_groups: [{name: h200, instance_type: g5.4xlarge}]",
    good="region: us-east-1",
)
ADMIN_TWICE = Rule(
    code="IAM500",
    title="Administrator named twice",
    why="A cluster has one access entry for each role or user.",
    source=limits.ACCESS_ENTRIES,
    target="eks",
    bad="kubernetes: {admins: ['arn:aws:iam::111122223333:role/platform', "
    "'arn:aws:iam::111122223333:role/platform']}",
    good="kubernetes: {admins: ['arn:aws:iam::111122223333:role/platform']}",
)
ADMIN_ELSEWHERE = Rule(
    code="IAM501",
    title="Administrator of another partition",
    why="Roles and users of commercial regions, GovCloud and China do not know each other.",
    source=limits.ACCESS_ENTRIES,
    target="eks",
    bad="kubernetes: {admins: ['arn:aws-us-gov:iam::111122223333:role/platform']}",
    good="kubernetes: {admins: ['arn:aws:iam::111122223333:role/platform']}",
)
RULES = (
    *(ONE_ZONE, ZONE, OPEN, PRIVATE, REGION, REGISTRIES),
    *(OLD_EFA, ADMIN_TWICE, ADMIN_ELSEWHERE),
)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    yield from _region(plan)
    yield from _zones(plan)
    yield from _endpoint(plan)
    yield from _admins(plan)
    yield from _efa(plan)


def _region(plan: Plan) -> Iterator[Finding]:
    if services.available("eks", plan.region) is False:
        near = ", ".join(services.SERVICES["eks"].nearest(plan.region))
        yield REGION.at(
            ("region",),
            f"EKS had no managed node groups in {plan.region} on {services.SERVICES['eks'].date}",
            help=f"regions that have them: {near}",
        )
    if plan.partition == "aws-cn":
        yield REGISTRIES.at(
            ("region",),
            "the software in the cluster comes from registries outside China",
            help="copy charts and images into a registry of yours, and change their values",
        )


def _zones(plan: Plan) -> Iterator[Finding]:
    if plan.network.new:
        return  # the foundation makes subnets in two zones that take them
    named = plan.wrote("network", "control_plane_subnets")
    field = "control_plane_subnets" if named else "private_subnets"
    zones = {subnet.zone for subnet in plan.network.control_plane}
    if len(zones) < 2:
        yield ONE_ZONE.at(
            ("network", field),
            f"subnets of one zone, {next(iter(zones)) or 'which is not named'}, "
            "for the control plane",
            help="write network.control_plane_subnets: two subnets with the zone of each",
        )
    for index, subnet in enumerate(plan.network.control_plane if named else ()):
        if _without_control_plane(subnet.zone or ""):
            yield ZONE.at(
                ("network", field, index),
                f"{subnet.zone} takes no control plane of EKS",
                help="name a subnet of another zone",
            )


def _without_control_plane(zone: str) -> bool:
    return zone in limits.ZONES_WITHOUT_CONTROL_PLANE or regions.is_local_zone(zone)


def _endpoint(plan: Plan) -> Iterator[Finding]:
    path: Path = ("kubernetes", "public_endpoint_from")
    for index, block in enumerate(plan.kubernetes.public_endpoint_from):
        if block in ("0.0.0.0/0", "::/0"):
            yield OPEN.at(
                (*path, index),
                f"the API of the cluster is open to {block}",
                help="name your own addresses, or none: the API is then reached from the VPC",
            )
    if not plan.kubernetes.public_endpoint_from and plan.options.install == "script":
        yield PRIVATE.at(
            path,
            "install.sh reaches the API of the cluster from within the VPC only",
            help="run deploy.sh there or through a VPN, name your addresses, or write "
            "targets.eks.install: stack",
        )


def _efa(plan: Plan) -> Iterator[Finding]:
    built_in = limits.at_least(plan.kubernetes.version, limits.BUILT_IN_EFA)
    known = built_in or plan.network.new_security_groups
    if not known and any(group.efa for group in plan.node_groups):
        yield OLD_EFA.at(
            ("network", "security_groups"),
            "EFA needs a group with all traffic to and from itself",
            help="add such rules to one of them, leave security_groups out, or write "
            f"kubernetes.version: '{limits.DRA}' or later",
        )


def _admins(plan: Plan) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, arn in enumerate(plan.kubernetes.admins):
        path: Path = ("kubernetes", "admins", index)
        if arn in seen:
            yield ADMIN_TWICE.at(path, f"{arn} stands here twice", help="leave one out")
        seen.add(arn)
        partition = arn.split(":")[1]
        if partition != plan.partition:
            yield ADMIN_ELSEWHERE.at(
                path,
                f"{arn} is of {partition}, the cluster of {plan.partition}",
                help=f"name a role of {plan.partition}",
            )

"""Region, subnets and endpoint of the control plane, security groups, and SSH."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe, unwanted
from clustergen.facts.catalog import regions
from clustergen.plan.model import Plan
from clustergen.services.eks import versions
from clustergen.targets.eks import limits
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.rules import VPC, note, rule, warning

_TWO_ZONES = f"""{VPC}
  control_plane_subnets:
    - {{id: subnet-0a1b2c3d4e5f67891, zone: use1-az6, cidr: 10.42.255.224/28}}
    - {{id: subnet-0a1b2c3d4e5f67892, zone: use1-az2, cidr: 10.42.255.240/28}}"""

_ENDPOINT: Path = ("kubernetes", "public_endpoint_from")


@warning(
    "NET505",
    "Container images from outside China",
    why="The charts and images of the software in the cluster are in registries outside China, "
    "which nodes there reach slowly or not at all.",
    source="https://docs.amazonaws.cn/en_us/aws/latest/userguide/ecr-public.html",
    bad="region: cn-north-1\nnetwork: {zone: cnn1-az1}\n"
    "node_groups: [{name: h200, instance_type: g5.4xlarge}]",
    good="region: us-east-1",
)
def registries(plan: Plan) -> Iterator[Problem]:
    if plan.partition == "aws-cn" and not plan.software.registry:
        yield Problem(
            ("region",),
            "the software in the cluster comes from registries outside China",
            help="write software.registry, and run the bundle's mirror.sh, which copies charts and "
            "images there",
        )


@rule(
    "NET501",
    "Zone that does not support a control plane",
    why="A few old zones and all Local Zones have no room for the interfaces of a control plane.",
    source=limits.NETWORK,
    bad=_TWO_ZONES.replace("use1-az2", "use1-az3"),
    good=_TWO_ZONES,
)
def control_plane_zone(plan: Plan) -> Iterator[Problem]:
    field = _control_plane_field(plan)
    if plan.network.new or field == "private_subnets":
        return
    for index, subnet in enumerate(plan.network.control_plane):
        if _takes_no_control_plane(subnet.zone or ""):
            yield Problem(
                ("network", field, index),
                f"{subnet.zone} does not support an EKS control plane",
                help="name a subnet of another zone",
            )


@warning(
    "NET502",
    "Kubernetes API open to everyone",
    why="Anyone with a leaked credential reaches the API from anywhere, and anyone can try every "
    "flaw of the API server.",
    source=limits.ENDPOINT,
    bad="kubernetes: {public_endpoint_from: [0.0.0.0/0]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def open_api(plan: Plan) -> Iterator[Problem]:
    for index, block in enumerate(plan.kubernetes.public_endpoint_from):
        if block in ("0.0.0.0/0", "::/0"):
            yield unwanted(
                (*_ENDPOINT, index),
                f"the API of the cluster is open to {block}",
                help="name your own addresses; without any, the API is reached from the VPC only",
            )


@note(
    "NET503",
    "Kubernetes API reachable only from the VPC",
    why="A deployment installs the software in the cluster through its API.",
    source=limits.ENDPOINT,
    bad="kubernetes: {public_endpoint_from: []}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def private_api(plan: Plan) -> Iterator[Problem]:
    made = plan.creates_cluster and plan.options_as(Options).install == "script"
    if made and not plan.kubernetes.public_endpoint_from:
        yield Problem(
            _ENDPOINT,
            "deployments reach the API of the cluster from within the VPC only",
            help="run deploy.sh there or through a VPN, or name your addresses"
            if plan.network.closed
            else "run deploy.sh there or through a VPN, name your addresses, or write "
            "targets.eks.install: stack",
        )


@rule(
    "NET507",
    "Charts installed by the stack without a way to the internet",
    why="With install: stack, a function in the VPC installs charts from public registries. "
    "Other deployments take them from software.registry.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html",
    bad="""network: {internet: none}
software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}
targets: {eks: {install: stack}}""",
)
def charts_by_stack(plan: Plan) -> Iterator[Problem]:
    if plan.network.closed and plan.options_as(Options).by_stack:
        path = ("targets", "eks", "install")
        yield Problem(
            path,
            "the stack cannot install charts where network.internet is none",
            help="write install: script, and run deploy.sh where the API of the cluster is "
            "reachable",
            fix=unsafe(put(path, "script")),
        )


@warning(
    "NIC500",
    "Security groups that may not let EFA through",
    why="Before Kubernetes 1.33 the cluster's own security group lets no EFA out: another group of "
    "the nodes must allow all traffic to and from itself.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html",
    bad=f"{_TWO_ZONES}\n  security_groups: [sg-0a1b2c3d4e5f67890]\n"
    "kubernetes: {version: '1.32', support: extended}",
    good=f"{_TWO_ZONES}\n  security_groups: [sg-0a1b2c3d4e5f67890]\n"
    "kubernetes: {version: '1.35'}",
)
def efa(plan: Plan) -> Iterator[Problem]:
    built_in = versions.at_least(plan.kubernetes.version, versions.BUILT_IN_EFA)
    known = built_in or plan.network.new_security_groups
    if not known and any(group.efa for group in plan.node_groups):
        yield Problem(
            ("network", "security_groups"),
            "EFA needs a security group that allows all traffic to and from itself",
            help="add such rules to one of them, remove security_groups, or write "
            f"kubernetes.version: '{limits.DRA}' or later",
        )


def _control_plane_field(plan: Plan) -> str:
    """The field of an existing network that has the subnets of the control plane."""
    named = plan.wrote("network", "control_plane_subnets")
    return "control_plane_subnets" if named else "private_subnets"


def _takes_no_control_plane(zone: str) -> bool:
    return zone in limits.ZONES_WITHOUT_CONTROL_PLANE or regions.is_local_zone(zone)

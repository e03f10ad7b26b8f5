"""The region, the subnet of the controller, and the network of an existing cluster."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem, Severity, drop, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits, pcs_cluster, subnets
from clustergen.targets.pcs.options import Options
from clustergen.targets.pcs.rules import GROUP, ID, JOINED, VPC, rule

_GROUP: Path = ("targets", "pcs", "cluster_security_group")
_SECURITY_GROUPS = f"{limits.USER_GUIDE}working-with_networking_sg.html"


def _with_own_groups(ours: str, options: str = "") -> str:
    groups = f"{VPC}\n  security_groups: [{ours}]"
    return f"{groups}\ntargets: {{pcs: {{cluster: {ID}{options}}}}}"


@rule(
    "NET202",
    "Controller in a Local Zone",
    why="PCS puts the controller's network interface into one subnet, which cannot be in a Local "
    "Zone.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_NetworkingRequest.html",
    bad="network: {zone: use1-dfw2-az1}",
    good="network: {zone: use1-az6}",
)
def local_zone(plan: Plan) -> Iterator[Problem]:
    if pcs_cluster.is_new(plan) and subnets.controller_subnet(plan) is None:
        yield Problem(
            ("network", "zone"),
            f"{plan.network.zone} is a Local Zone, and no private subnet is in another zone",
            help="use an existing VPC that also has a private subnet in a zone of the region",
        )


@rule(
    "NET203",
    "New VPC beside an existing cluster",
    why="The subnets of a node group have to be in the VPC of its cluster.",
    source=limits.CREATE_NODE_GROUP,
    bad=f"targets: {{pcs: {{cluster: {ID}}}}}",
    good=JOINED,
)
def other_vpc(plan: Plan) -> Iterator[Problem]:
    if not pcs_cluster.is_new(plan) and plan.network.new:
        yield Problem(
            ("network",),
            "the nodes would be in a new VPC, but the existing cluster is in another",
            help="write vpc and private_subnets of the cluster; aws pcs get-cluster shows its "
            "subnets",
        )


@rule(
    "NET204",
    "Nodes that the scheduler cannot reach",
    why="slurmctld of the cluster and slurmd of the nodes connect to each other. The foundation "
    "allows that between its security group of the nodes and the group of the cluster that the "
    "spec names.",
    source=_SECURITY_GROUPS,
    severity=Severity.WARNING,
    bad=f"{VPC}\ntargets: {{pcs: {{cluster: {ID}}}}}",
    good=JOINED,
)
def security_group(plan: Plan) -> Iterator[Problem]:
    network = plan.network
    if pcs_cluster.is_new(plan) or network.new or not network.new_security_groups:
        return
    if plan.options_as(Options).cluster_security_group is None:
        yield Problem(
            ("network",),
            "the new security group does not allow traffic with the cluster",
            help="write targets.pcs.cluster_security_group: sg-..., that of the cluster; aws pcs "
            "get-cluster shows it as securityGroupIds",
        )


@rule(
    "NET205",
    "Security group of a cluster that does not exist yet",
    fixes="unsafe",
    why="A new cluster gets the security group of the nodes.",
    source=_SECURITY_GROUPS,
    severity=Severity.WARNING,
    bad=f"targets: {{pcs: {{cluster: new, cluster_security_group: {GROUP}}}}}",
    good="targets: {pcs: {cluster: new}}",
)
def group_of_a_new_cluster(plan: Plan) -> Iterator[Problem]:
    if pcs_cluster.is_new(plan) and plan.options_as(Options).cluster_security_group:
        yield Problem(
            _GROUP,
            "a new cluster has the security group of its nodes",
            help="remove it, or write the id of an existing cluster as cluster",
            fix=unsafe(drop(_GROUP)),
        )


@rule(
    "NET206",
    "Existing security groups are not changed",
    why="clustergen adds rules only to the security group that it creates for the nodes. It "
    "never changes existing groups.",
    source=_SECURITY_GROUPS,
    severity=Severity.WARNING,
    bad=_with_own_groups("sg-0a1b2c3d4e5f67890", f", cluster_security_group: {GROUP}"),
    good=_with_own_groups(GROUP),
)
def unchanged_groups(plan: Plan) -> Iterator[Problem]:
    network, theirs = plan.network, plan.options_as(Options).cluster_security_group
    if pcs_cluster.is_new(plan) or network.new_security_groups or not theirs:
        return
    if theirs not in network.node_security_groups:
        yield Problem(
            _GROUP,
            f"clustergen adds no rules between {theirs} and the security groups of the nodes",
            help="remove network.security_groups, for a new group of nodes with those rules; or "
            f"write {theirs} among them",
        )

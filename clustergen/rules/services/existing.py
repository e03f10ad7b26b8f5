"""Nodes that join an existing cluster: its VPC and its security group."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.rules.services import rule, warning

_VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]"""
_GROUP = "sg-0a1b2c3d4e5f67891"
_ALONE = "targets: {pcs: {cluster: pcs_0a1b2c3d4e}}"
_JOINED = f"targets: {{pcs: {{cluster: pcs_0a1b2c3d4e, cluster_security_group: {_GROUP}}}}}"
_GROUPS = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_sg.html"


@rule(
    "NET043",
    "New VPC beside an existing cluster",
    why="The subnets of a node group have to be in the VPC of its cluster.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html",
    bad=_ALONE,
    good=f"{_VPC}\n{_JOINED}",
)
def other_vpc(plan: Plan) -> Iterator[Problem]:
    cluster, limit = plan.existing.cluster, plan.limits.existing_cluster
    if cluster and limit and plan.network.new:
        yield Problem(
            ("network",),
            f"the nodes would be in a new VPC, not in that of {cluster}",
            help=f"write vpc and private_subnets of {cluster}: {limit.shown_by} {cluster}",
            source=limit.vpc_source,
        )


@warning(
    "NET044",
    "Nodes that the rest of the cluster cannot reach",
    why="Added nodes and the cluster connect to each other: slurmctld to slurmd, pods to pods. "
    "If the spec names a security group of the cluster, the added nodes of HyperPod get it. On "
    "PCS, the foundation allows traffic between it and the security group of the nodes.",
    source=_GROUPS,
    bad=f"{_VPC}\n{_ALONE}",
    good=f"{_VPC}\n{_JOINED}",
)
def unreachable(plan: Plan) -> Iterator[Problem]:
    cluster, limit, network = plan.existing.cluster, plan.limits.existing_cluster, plan.network
    # Such a service puts the nodes into the group of the cluster.
    if not cluster or limit is None or plan.limits.own_groups:
        return
    if network.new_security_groups and not network.new and not plan.existing.security_group:
        yield Problem(
            ("network",),
            f"the new security group does not allow traffic with {cluster}",
            help=f"write targets.{plan.target}.cluster_security_group: sg-..., one of those of the "
            f"cluster: {limit.shown_by} {cluster}",
            source=limit.groups_source,
        )


@warning(
    "NET045",
    "Security group of a cluster that does not exist yet",
    why="The field names the group of an existing cluster. A new one shares a group with its "
    "nodes.",
    source=_GROUPS,
    bad=f"targets: {{pcs: {{cluster: new, cluster_security_group: {_GROUP}}}}}",
)
def group_of_a_new_cluster(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.existing_cluster
    if limit and plan.existing.security_group and not plan.existing.cluster:
        yield unwanted(
            _place(plan),
            "cluster_security_group is of an existing cluster, but the cluster is new",
            help=f"remove it, or name the existing cluster in targets.{plan.target}.cluster",
            source=limit.groups_source,
        )


@warning(
    "NET046",
    "Existing security groups are not changed",
    why="clustergen adds rules between the group of the cluster and the one that it creates for "
    "the nodes. It does not change the groups in network.security_groups.",
    source=_GROUPS,
    bad=f"{_VPC}\n  security_groups: [sg-0a1b2c3d4e5f67890]\n{_JOINED}",
    good=f"{_VPC}\n  security_groups: [{_GROUP}]\n{_JOINED}",
)
def unchanged_groups(plan: Plan) -> Iterator[Problem]:
    limit, network = plan.limits.existing_cluster, plan.network
    theirs = plan.existing.security_group
    if not plan.existing.cluster or limit is None or plan.limits.own_groups or limit.shares_group:
        return
    if theirs and not network.new_security_groups and theirs not in network.node_security_groups:
        yield unchanged(_place(plan), theirs)._replace(source=limit.groups_source)


def unchanged(path: Path, theirs: str) -> Problem:
    """A problem of a cluster's security group, which groups in ``network`` have no rules for."""
    return Problem(
        path,
        f"clustergen adds no rules between {theirs} and the security groups of the nodes",
        help="remove network.security_groups, so that clustergen creates a group with these "
        f"rules; or add {theirs} to it",
    )


def _place(plan: Plan) -> Path:
    return ("targets", plan.target, "cluster_security_group")

"""Instance groups that are added to an existing cluster: its network, and what stays its owner's.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
"""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem, Severity, drop, unsafe
from clustergen.hyperpod import cluster, limits
from clustergen.hyperpod.options import Options
from clustergen.hyperpod.rules import rule
from clustergen.plan.model import Plan

_UPDATE = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html"
VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]"""
_GROUP = "sg-0a1b2c3d4e5f67891"
_OWN = f"cluster: platform, cluster_security_group: {_GROUP}"
_UNREACHED = f"{VPC}\ntargets: {{hyperpod-slurm: {{cluster: platform}}}}"


def joined(options: str = "") -> str:
    """An example that adds groups to a cluster with Slurm; ``options`` follow those for that."""
    return f"{VPC}\ntargets: {{hyperpod-slurm: {{{_OWN}{options}}}}}"


def _with_own_groups(ours: str) -> str:
    return f"{VPC}\n  security_groups: [{ours}]\ntargets: {{hyperpod-slurm: {{{_OWN}}}}}"


def _at(plan: Plan, field: str) -> Path:
    return ("targets", plan.target, field)


@rule(
    "NET303",
    "New VPC beside an existing HyperPod cluster",
    why="An instance group can have subnets of its own, but in the VPC of its cluster: nodes and "
    "controllers reach each other at private addresses.",
    source=limits.PREREQUISITES,
    bad="targets: {hyperpod-slurm: {cluster: platform}}",
    good=joined(),
)
def other_vpc(plan: Plan) -> Iterator[Problem]:
    if not cluster.is_new(plan) and plan.network.new:
        yield Problem(
            ("network",),
            "the nodes would be in a new VPC, but the existing cluster is in another",
            help="write vpc and private_subnets of the cluster: aws sagemaker describe-cluster "
            f"--cluster-name {cluster.name(plan)} --query VpcConfig",
        )


@rule(
    "NET304",
    "Nodes that the rest of the cluster cannot reach",
    why="Added nodes and those of the cluster connect to each other: slurmctld to slurmd, pods to "
    "pods. The foundation allows that between its security group of the nodes and the group of the "
    "cluster that the spec names.",
    source=limits.PREREQUISITES,
    severity=Severity.WARNING,
    bad=_UNREACHED,
    good=joined(),
)
def unreachable(plan: Plan) -> Iterator[Problem]:
    network = plan.network
    if cluster.is_new(plan) or network.new or not network.new_security_groups:
        return
    if plan.options_as(Options).cluster_security_group is None:
        yield Problem(
            ("network",),
            "the new security group does not allow traffic with the other nodes of the cluster",
            help=f"write targets.{plan.target}.cluster_security_group: sg-..., one of those of the "
            "cluster: aws sagemaker describe-cluster --query VpcConfig.SecurityGroupIds "
            f"--cluster-name {cluster.name(plan)}",
        )


@rule(
    "NET305",
    "Security group of a HyperPod cluster that does not exist yet",
    fixes="unsafe",
    why="A new cluster gets the security group of the nodes.",
    source=limits.PREREQUISITES,
    severity=Severity.WARNING,
    bad=f"targets: {{hyperpod-slurm: {{cluster: new, cluster_security_group: {_GROUP}}}}}",
    good="targets: {hyperpod-slurm: {cluster: new}}",
)
def group_of_a_new_cluster(plan: Plan) -> Iterator[Problem]:
    if cluster.is_new(plan) and plan.options_as(Options).cluster_security_group:
        path = _at(plan, "cluster_security_group")
        yield Problem(
            path,
            "a new cluster has the security group of its nodes",
            help="remove it, or write the name of an existing cluster as cluster",
            fix=unsafe(drop(path)),
        )


@rule(
    "NET306",
    "Existing security groups are not changed",
    why="clustergen adds rules only to the security group that it creates for the nodes. It "
    "never changes existing groups.",
    source=limits.PREREQUISITES,
    severity=Severity.WARNING,
    bad=_with_own_groups("sg-0a1b2c3d4e5f67890"),
    good=_with_own_groups(_GROUP),
)
def unchanged_groups(plan: Plan) -> Iterator[Problem]:
    network, theirs = plan.network, plan.options_as(Options).cluster_security_group
    if cluster.is_new(plan) or network.new_security_groups or not theirs:
        return
    if theirs not in network.node_security_groups:
        yield Problem(
            _at(plan, "cluster_security_group"),
            f"clustergen adds no rules between {theirs} and the security groups of the nodes",
            help="remove network.security_groups, for a new group of nodes with those rules; or "
            f"write {theirs} among them",
        )


@rule(
    "LIM304",
    "Setting of an existing HyperPod cluster",
    fixes="unsafe",
    why="The bundle adds instance groups to an existing cluster, and leaves everything else to its "
    "owner.",
    source=_UPDATE,
    severity=Severity.WARNING,
    bad=f"resilience: {{replace_failed_nodes: false}}\n{joined()}",
    good=joined(),
)
def of_the_cluster(plan: Plan) -> Iterator[Problem]:
    for path in (*plan.options.of_others, *_additions(plan)):
        if plan.wrote(*path):
            yield Problem(
                path,
                f"{_word(path)} has no effect on an existing cluster, which keeps its own",
                help="change it where the cluster is defined",
                fix=unsafe(drop(path)),
            )


def _additions(plan: Plan) -> Iterator[Path]:
    """Places in ``leave_out`` of what concerns the cluster as a whole."""
    if cluster.is_new(plan):
        return
    for index, addition in enumerate(plan.options_as(Options).leave_out):
        if addition in ("node-recovery", "operator-tag"):
            yield (*_at(plan, "leave_out"), index)


def _word(path: Path) -> object:
    return path[-1] if isinstance(path[-1], str) else path[-2]


@rule(
    "OVL349",
    "Overlay that changes an existing HyperPod cluster",
    fixes="unsafe",
    why="deploy.sh sends an existing cluster only the instance groups of the bundle.",
    source=_UPDATE,
    bad=joined(", overlay: {NodeRecovery: None}"),
    good=joined(", overlay: {InstanceGroups: [{InstanceGroupName: h200, ThreadsPerCore: 1}]}"),
)
def overlay(plan: Plan) -> Iterator[Problem]:
    for member in plan.overlay if not cluster.is_new(plan) else ():
        if member != "InstanceGroups":
            path = (*_at(plan, "overlay"), member)
            yield Problem(
                path,
                f"{member} belongs to the existing cluster",
                help="remove it; change it where the cluster is defined",
                fix=unsafe(drop(path)),
                on_key=True,
            )

"""Instance groups that are added to an existing cluster: what stays its owner's.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
"""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan import existing_cluster
from clustergen.plan.model import Plan
from clustergen.services.hyperpod.rules import rule, warning

_UPDATE = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html"
VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]"""
_OWN = "cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f67891"


def example(options: str = "") -> str:
    """An example that adds groups to a cluster with Slurm; ``options`` follow those for that."""
    return f"{VPC}\ntargets: {{hyperpod-slurm: {{{_OWN}{options}}}}}"


def _at(plan: Plan, field: str) -> Path:
    return ("targets", plan.target, field)


@warning(
    "LIM304",
    "Cluster-wide setting for an existing cluster",
    why="The bundle adds instance groups to an existing cluster, and leaves everything else to its "
    "owner.",
    source=_UPDATE,
    bad=f"resilience: {{replace_failed_nodes: false}}\n{example()}",
)
def of_the_cluster(plan: Plan) -> Iterator[Problem]:
    yield from existing_cluster.without_effect(plan, (*plan.existing.owned, *_additions(plan)))


def _additions(plan: Plan) -> Iterator[Path]:
    """Places in ``leave_out`` of what concerns the cluster as a whole."""
    if plan.creates_cluster:
        return
    for index, addition in enumerate(plan.options.left_out):
        if addition in ("node-recovery", "operator-tag"):
            yield (*_at(plan, "leave_out"), index)


@rule(
    "OVL349",
    "Overlay that changes an existing HyperPod cluster",
    why="deploy.sh sends an existing cluster only the instance groups of the bundle.",
    source=_UPDATE,
    bad=example(", overlay: {NodeRecovery: None}"),
    good=example(", overlay: {InstanceGroups: [{InstanceGroupName: h200, ThreadsPerCore: 1}]}"),
)
def overlay(plan: Plan) -> Iterator[Problem]:
    for member in plan.overlay if not plan.creates_cluster else ():
        if member != "InstanceGroups":
            path = (*_at(plan, "overlay"), member)
            yield unwanted(
                path,
                f"{member} belongs to the existing cluster",
                help="remove it; change it where the cluster is defined",
                on_key=True,
            )

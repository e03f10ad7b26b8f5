"""What needs continuous provisioning."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits
from clustergen.services.kubernetes import karpenter
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, rule

_PATH: Path = ("targets", "hyperpod-eks", "provisioning")
_SPOT = f"""node_groups: [{{name: h200, capacity: spot}}]
targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', provisioning: %s}}}}"""


@rule(
    "CAP406",
    "Something that needs continuous provisioning",
    fixes="unsafe",
    why="With all nodes at once, a group has one type of On-Demand instances or of a training "
    "plan, and a fixed number of them. Spot, minimums, MIG and Karpenter came with continuous "
    "provisioning.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-scaling-eks.html",
    bad=_SPOT % "all-at-once",
    good=_SPOT % "continuous",
)
def continuous(plan: Plan) -> Iterator[Problem]:
    if plan.options_as(Options).provisioning == "continuous":
        return
    if needs := dict.fromkeys(_needs(plan)):
        yield unwanted(
            _PATH,
            f"the nodes come all at once, but the spec has {', '.join(needs)}",
            help="remove provisioning",
        )


def _needs(plan: Plan) -> Iterator[str]:
    if karpenter.is_on(plan):
        yield "Karpenter"
    for group in plan.node_groups:
        if group.capacity.kind == "spot":
            yield "Spot"
        if len(group.types) > 1:
            yield "several instance types"
        if 0 < group.min < group.max and not karpenter.is_on(plan):
            yield "a minimum of nodes"
        if group.mig:
            yield "MIG partitions"

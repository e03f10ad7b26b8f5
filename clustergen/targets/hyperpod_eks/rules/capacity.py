"""What needs continuous provisioning."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, drop, unsafe
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits, provisioning
from clustergen.services.kubernetes import karpenter
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, rule

_PATH: Path = ("targets", "hyperpod-eks", "provisioning")
_SPOT = f"""node_groups: [{{name: h200, capacity: spot}}]
targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', provisioning: %s}}}}"""


@rule(
    "CAP406",
    "Something that needs continuous provisioning",
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
    fix = unsafe(drop(_PATH))
    yield from provisioning.all_at_once(_needs(plan), "remove provisioning", fix)


def _needs(plan: Plan) -> Iterator[Problem]:
    if karpenter.is_on(plan):
        yield Problem(
            ("kubernetes", "autoscaler"), "Karpenter adds nodes", "write autoscaler: none"
        )
    else:
        yield from provisioning.minimums(plan.node_groups)
    yield from provisioning.several_types(plan.node_groups)
    for group in plan.node_groups:
        if group.capacity.kind == "spot":
            yield Problem(
                group.at("capacity"), f"{group.name} is Spot", "write capacity: on-demand"
            )
        if group.mig:
            yield Problem(group.at("mig"), f"{group.name} has MIG partitions", "remove mig")

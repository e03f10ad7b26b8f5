"""Numbers of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import karpenter, limits
from clustergen.targets.hyperpod_eks.rules import EXISTING, KARPENTER, rule


@rule(
    "CAP400",
    "Nodes on demand without an autoscaler",
    why="A node group of HyperPod has one number of instances; only Karpenter changes it for pods.",
    source=limits.SCALING,
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
    good=f"{KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
def autoscaler(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if not group.static and not karpenter.on(plan):
            yield Problem(
                group.at("count"),
                f"nothing starts nodes of {group.name} beyond {group.min} on demand",
                help=f"write kubernetes.autoscaler: karpenter, or count: {group.max}",
            )

"""Autoscaling."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.rules.services import rule, warning

_KARPENTER = "kubernetes: {autoscaler: karpenter}"


@warning(
    "CAP011",
    "Dynamic nodes without an autoscaler",
    why="The service's node groups do not scale automatically. Karpenter starts nodes for pods "
    "that wait.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/autoscaling.html",
    target="eks",
    bad="node_groups: [{name: h200, count: {min: 0, max: 4}}]",
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
def unscaled(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.unscaled
    if limit is None or plan.kubernetes.autoscaler == "karpenter":
        return
    for group in plan.node_groups:
        waiting = plan.limits.minimum and group.min
        if not group.static and not waiting:
            yield Problem(
                group.at("count"),
                f"{group.name} does not scale beyond {group.min} nodes on demand",
                help=f"write kubernetes.autoscaler: karpenter, or count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
                severity=limit.severity,
                source=limit.source,
            )


@rule(
    "CAP015",
    "Group without nodes",
    why="Some services keep a group without nodes, which you can scale later. ParallelCluster "
    "rejects a compute resource that can never have a node.",
    source="pcluster.schemas.cluster_schema: max_count, at least 1",
    target="parallelcluster",
    bad="node_groups: [{name: h200, count: 0}]",
)
def empty(plan: Plan) -> Iterator[Problem]:
    if plan.limits.empty_groups:
        return
    for group in plan.node_groups:
        if group.max == 0 and group.min == 0:
            yield Problem(
                group.at("count"),
                f"{plan.limits.title} has no groups without nodes",
                help="write {min: 0, max: 1}",
                fix=unsafe(put(group.at("count"), {"min": 0, "max": 1})),
            )


@warning(
    "CAP012",
    "Autoscaler with nothing to scale",
    why="Karpenter scales the groups whose minimum and maximum differ; the others keep their size.",
    source="https://karpenter.sh/docs/concepts/nodepools/",
    target="eks",
    bad=_KARPENTER,
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
def idle_autoscaler(plan: Plan) -> Iterator[Problem]:
    on = plan.limits.autoscaler and plan.kubernetes.autoscaler == "karpenter"
    if on and all(group.static for group in plan.node_groups):
        yield unwanted(
            ("kubernetes", "autoscaler"),
            "every node group has a fixed number of nodes",
            help="write count: {min: 0, max: N} where groups may scale",
            source=plan.limits.autoscaler,
        )

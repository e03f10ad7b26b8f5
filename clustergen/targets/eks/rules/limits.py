"""Quotas of EKS: groups, nodes and taints."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, Severity
from clustergen.kubernetes import karpenter
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules import rule

_30 = ", ".join(
    f"{{name: g{number}, instance_type: m7i.4xlarge, count: 1}}" for number in range(29)
)
_51_TAINTS = ", ".join(f"{{key: taint-{number}}}" for number in range(51))


@rule(
    "LIM501",
    "More node groups than the default quota",
    why="A cluster has at most 30 managed node groups, including the one of the system nodes. "
    "Service Quotas can raise it before the deployment.",
    source=limits.QUOTAS,
    severity=Severity.WARNING,
    bad=f"node_groups: [{_30}]",
    good=f"node_groups: [{_30.partition(', {')[0]}]",
)
def node_groups(plan: Plan) -> Iterator[Problem]:
    count = len(_managed(plan)) + 1
    if count > limits.MAX_NODE_GROUPS:
        yield Problem(
            ("node_groups",),
            f"{count} node groups, including the system nodes; the quota is "
            f"{limits.MAX_NODE_GROUPS}",
            help="ask Service Quotas for more first",
        )


@rule(
    "LIM502",
    "More nodes in a group than the default quota",
    why="A managed node group has at most 450 nodes; Service Quotas can raise it.",
    source=limits.QUOTAS,
    severity=Severity.WARNING,
    bad="node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 451}]",
    good="node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 450}]",
)
def nodes(plan: Plan) -> Iterator[Problem]:
    for group in _managed(plan):
        if group.max > limits.MAX_NODES:
            yield Problem(
                group.at("count"),
                f"{group.max} nodes in {group.name}; the quota is {limits.MAX_NODES}",
                help="ask Service Quotas for more first, or make two groups of it",
            )


@rule(
    "LIM500",
    "Too many taints",
    why="A node group has at most 50.",
    source=limits.TAINTS,
    bad=f"node_groups: [{{name: h200, taints: [{_51_TAINTS}]}}]",
    good="node_groups: [{name: h200, taints: [{key: taint-0}]}]",
)
def taints(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if len(group.taints) > limits.MAX_TAINTS:
            yield Problem(
                group.at("taints"),
                f"{len(group.taints)} taints; EKS takes at most {limits.MAX_TAINTS}",
                help="leave some out",
            )


def _managed(plan: Plan) -> tuple[NodeGroup, ...]:
    """The groups that are managed node groups: all but those that Karpenter scales."""
    return tuple(g for g in plan.node_groups if not karpenter.is_karpenter(plan, g))

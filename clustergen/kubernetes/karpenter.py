"""Karpenter: the node groups that it starts nodes for, in place of managed node groups."""

from __future__ import annotations

from clustergen.plan.model import NodeGroup, Plan


def is_on(plan: Plan) -> bool:
    """Whether the cluster has Karpenter."""
    return plan.kubernetes.autoscaler == "karpenter"


def is_karpenter(plan: Plan, group: NodeGroup) -> bool:
    """Whether Karpenter starts and stops the nodes of a group."""
    return is_on(plan) and not group.static

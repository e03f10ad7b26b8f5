"""How much of something the service allows."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import Plan
from clustergen.rules.services import rule


@rule(
    "LIM003",
    "Cluster limit exceeded",
    why="Services limit the node groups, queues and nodes of one cluster. A quota can be raised, "
    "which takes days; a fixed limit cannot.",
    source="https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html",
    target="pcs",
    bad="queues: [" + ", ".join(f"{{name: q{n:02}, node_groups: [h200]}}" for n in range(11)) + "]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def quotas(plan: Plan) -> Iterator[Problem]:
    for quota in plan.limits.quotas:
        count = quota.count(plan)
        if count > quota.most:
            yield Problem(
                quota.place(plan) if callable(quota.place) else quota.place,
                f"{count:,} {quota.what}; the {_kind(quota.severity)} is {quota.most:,}",
                help=quota.help,
                severity=quota.severity,
                source=quota.source,
            )


def _kind(severity: str) -> str:
    return "maximum" if severity == "error" else "default quota"


@rule(
    "LIM004",
    "Node group larger than its maximum size",
    why="A group of the service has a maximum size.",
    source="https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html",
    target="eks",
    bad="node_groups: [{name: h200, instance_type: m7i.xlarge, count: 451}]",
    good="node_groups: [{name: h200, instance_type: m7i.xlarge, count: 450}]",
)
def group_size(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.group_size
    if limit is None:
        return
    by_karpenter = plan.kubernetes.autoscaler == "karpenter" and not limit.karpenter
    for group in plan.node_groups:
        if group.max > limit.most and not (by_karpenter and not group.static):
            yield Problem(
                group.at("count"),
                f"{group.max:,} nodes in {group.name}; the {_kind(limit.severity)} is "
                f"{limit.most:,}",
                help=f"write {limit.most} or less, and a second group",
                severity=limit.severity,
                source=limit.source,
            )

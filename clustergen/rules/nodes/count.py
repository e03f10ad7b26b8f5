"""How many nodes a group may have."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, rule
from clustergen.plan.model import Plan


@rule(
    "CAP008",
    "The maximum is zero or below the minimum",
    why="A group that can never have a node is a slip, and every service refuses min above max.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_ScalingConfigurationRequest.html",
    bad="node_groups: [{name: h200, count: {min: 4, max: 2}}]",
    good="node_groups: [{name: h200, count: {min: 2, max: 4}}]",
)
def bounds(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        at = group.at("count")
        if group.max < group.min:
            yield Problem(
                at,
                f"a minimum of {group.min} above a maximum of {group.max}",
                help=f"write {{min: {group.max}, max: {group.min}}}",
            )
        elif group.max == 0:
            yield Problem(at, "a maximum of 0 nodes", help="write {min: 0, max: 1}")

"""Names of node groups and queues."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.aws import cfn
from clustergen.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.targets.pcs.rules import rule


@rule(
    "LIM210",
    "Names that differ in hyphens only",
    why="The ids of resources in a template have letters and digits only, so both names become the "
    "same id.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "resources-section-structure.html",
    bad="node_groups: [{name: cpu-1, instance_type: m7i.xlarge, count: 1}, "
    "{name: cpu1, instance_type: m7i.xlarge, count: 1}]",
    good="node_groups: [{name: cpu-1, instance_type: m7i.xlarge, count: 1}, "
    "{name: cpu-2, instance_type: m7i.xlarge, count: 1}]",
)
def alike(plan: Plan) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for path, kind, name in _named(plan):
        first = seen.setdefault(cfn.logical_id(kind, name), name)
        if first != name:
            yield Problem(
                path,
                f"the {kind} names {first!r} and {name!r} differ in hyphens only",
                help=f"write {_extend(name, kind)}",
            )


def _named(plan: Plan) -> Iterator[tuple[Path, str, str]]:
    """Place, kind and name; a queue that the spec does not write has its group's name and place."""
    for group in plan.node_groups:
        yield group.at("name"), "node group", group.name
    for queue in plan.queues:
        if queue.path[0] == "queues":
            yield queue.at("name"), "queue", queue.name


def _extend(name: str, kind: str) -> str:
    return f"{name}-{'queue' if kind == 'queue' else 'nodes'}"

"""Names of node groups and queues."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.aws import cfn
from clustergen.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits, names
from clustergen.targets.pcs.limits import CREATE_NODE_GROUP
from clustergen.targets.pcs.rules import rule


@rule(
    "LIM201",
    "Name too short or too long for PCS",
    why="Names of node groups and queues have 3 to 25 characters.",
    source=CREATE_NODE_GROUP,
    bad="queues: [{name: p5, node_groups: [h200]}]",
    good="queues: [{name: p5-queue, node_groups: [h200]}]",
)
def length(plan: Plan) -> Iterator[Problem]:
    for path, kind, name in _named(plan):
        if not limits.MIN_NAME <= len(name) <= limits.MAX_NAME:
            yield Problem(
                path,
                f"the {kind} name {name!r} has {len(name)} characters",
                help=f"write {_fit(name, kind)}",
            )


@rule(
    "LIM208",
    "Name of the login nodes",
    why="The login nodes are a node group called login, and names are unique in a cluster.",
    source=CREATE_NODE_GROUP,
    bad="node_groups: [{name: login, instance_type: m7i.xlarge, count: 1}]\n"
    "login: {instance_type: m7i.xlarge}",
    good="node_groups: [{name: front, instance_type: m7i.xlarge, count: 1}]\n"
    "login: {instance_type: m7i.xlarge}",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if plan.login and group.name == names.LOGIN:
            yield Problem(
                group.at("name"),
                f"{group.name!r} is the name of the login nodes",
                help="write front",
            )


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


def _fit(name: str, kind: str) -> str:
    if len(name) < limits.MIN_NAME:
        return _extend(name, kind)
    return name[: limits.MAX_NAME].rstrip("-")


def _extend(name: str, kind: str) -> str:
    return f"{name}-{'queue' if kind == 'queue' else 'nodes'}"

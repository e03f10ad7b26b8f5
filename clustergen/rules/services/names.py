"""Names: valid for the service, and not taken."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem
from clustergen.plan.limits import Named, Names, Reserved
from clustergen.plan.model import Plan
from clustergen.rules.services import rule


@rule(
    "LIM001",
    "Name that the service does not accept",
    why="Names of clusters, node groups and queues become names of the service's own resources, "
    "which have a form and a length.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html",
    target="pcs",
    bad="node_groups: [{name: accelerated-nodes-of-research, instance_type: m7i.xlarge, count: 1}]",
    good="node_groups: [{name: accelerated-nodes, instance_type: m7i.xlarge, count: 1}]",
)
def form(plan: Plan) -> Iterator[Problem]:
    for limit in plan.limits.names:
        for path, kind, name in _named(plan):
            if kind in limit.of and (wrong := _wrong(limit, name)):
                yield Problem(
                    path, wrong, help=f"write {_fitting(limit, kind, name)}", source=limit.source
                )


@rule(
    "LIM002",
    "Reserved name",
    why="Some names belong to the service, or to something that the bundle creates beside it.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html",
    target="pcs",
    bad="login: {}\nnode_groups: [{name: login, instance_type: m7i.xlarge, count: 1}]",
    good="login: {}\nnode_groups: [{name: front, instance_type: m7i.xlarge, count: 1}]",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    reported: set[Path] = set()  # a default queue shares its group's name
    for limit in plan.limits.reserved:
        if limit.with_login and plan.login is None:
            continue
        for path, kind, name in _named(plan, every_queue=limit.of == "queue"):
            if kind == limit.of and path not in reported and (owner := _owner(limit, name)):
                reported.add(path)
                yield Problem(
                    path,
                    f"{name!r} is reserved for {owner}",
                    help=f"write {_renamed(limit, name)}",
                    source=limit.source,
                )


def _named(plan: Plan, *, every_queue: bool = False) -> Iterator[tuple[Path, Named, str]]:
    """Place, kind and name; default queues have the name and place of their group."""
    yield ("name",), "cluster", plan.name
    for group in plan.node_groups:
        yield group.at("name"), "node group", group.name
    for queue in plan.queues:
        if every_queue or queue.path[0] == "queues":
            yield queue.at("name"), "queue", queue.name


def _wrong(limit: Names, name: str) -> str:
    """The problem with a name; empty if it is valid."""
    if len(name) > limit.longest:
        return f"{name!r} is {_length(name)} long; the maximum is {limit.longest}"
    if len(name) < limit.shortest:
        return f"{name!r} is {_length(name)} long; the minimum is {limit.shortest}"
    if name.endswith("-") and not limit.final_hyphen:
        return f"{name!r} ends with a hyphen"
    return ""


def _length(name: str) -> str:
    return f"{len(name)} character{'' if len(name) == 1 else 's'}"


def _fitting(limit: Names, kind: Named, name: str) -> str:
    if len(name) < limit.shortest:
        return f"{name}-{_SUFFIXES[kind]}"
    return name[: limit.longest].rstrip("-")


_SUFFIXES = {"cluster": "cluster", "node group": "nodes", "queue": "queue"}


def _owner(limit: Reserved, name: str) -> str:
    """The owner of a name; empty if it is free."""
    if name.startswith(limit.prefixes):
        return "software that runs in the cluster"
    return limit.names.get(name, "")


def _renamed(limit: Reserved, name: str) -> str:
    prefix = next((p for p in limit.prefixes if name.startswith(p)), "")
    return f"{name.removeprefix(prefix)}-{_SUFFIXES[limit.of]}"

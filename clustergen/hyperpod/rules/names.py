"""Names of clusters, groups and partitions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Path, Problem
from clustergen.hyperpod import limits
from clustergen.hyperpod.rules import rule
from clustergen.plan.model import Plan


@rule(
    "LIM300",
    "Name that HyperPod refuses",
    why="Names of clusters, groups and partitions end in a letter or digit.",
    source=limits.CREATE_CLUSTER,
    bad="name: example-",
    good="name: example",
)
def last_character(plan: Plan) -> Iterator[Problem]:
    for path, name in _names(plan):
        if not re.fullmatch(limits.NAME, name):
            yield Problem(path, f"{name!r} ends in -", help=f"write {name.rstrip('-')}")


def _names(plan: Plan) -> Iterator[tuple[Path, str]]:
    yield ("name",), plan.name
    for group in plan.node_groups:
        yield group.at("name"), group.name
    # Queues that the spec leaves out are named after their groups.
    if plan.wrote("queues"):
        for queue in plan.queues:
            yield queue.at("name"), queue.name

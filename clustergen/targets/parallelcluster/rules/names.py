"""Keys of tags."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, rename, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule


@rule(
    "LIM106",
    "Tag reserved by ParallelCluster",
    fixes="unsafe",
    why="ParallelCluster finds its resources by the tags that begin with `parallelcluster:`.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    bad='tags: {"parallelcluster:team": research}',
    good="tags: {team: research}",
)
def tag(plan: Plan) -> Iterator[Problem]:
    for key in plan.tags:
        if key.startswith(limits.RESERVED_TAG_PREFIX):
            yield Problem(
                ("tags", key),
                f"{key!r} begins with {limits.RESERVED_TAG_PREFIX}",
                help=f"write {key.removeprefix(limits.RESERVED_TAG_PREFIX)}",
                fix=unsafe(rename(("tags", key), key.removeprefix(limits.RESERVED_TAG_PREFIX))),
                on_key=True,
            )

"""STG004: what is said of storage that exists already."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Bucket, Lustre, Plan, Storage

RULE = Rule(
    code="STG004",
    title="Setting of storage that exists already",
    why="Existing storage is mounted as it is; a size or throughput given here changes nothing.",
    source="the language, version 1",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, size: 4800GiB, existing: {id: fs-0123456789abcdef0}}""",
    good="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
)

_KNOWN = frozenset({"mount", "type", "existing"})


def check(plan: Plan) -> Iterator[Finding]:
    for item in plan.storage:
        if not item.existing or isinstance(item, Bucket):
            continue
        for field in _settings(plan, item):
            yield RULE.at(
                item.at(field),
                f"{field} of {item.id}, which exists already",
                help=f"leave {field} out, or leave existing out to create new storage",
                on_key=True,
            )


def _settings(plan: Plan, item: Storage) -> list[str]:
    """Fields that the user wrote and that nothing reads."""
    depth = len(item.path)
    written = {
        str(path[depth])
        for path in plan.written
        if len(path) == depth + 1 and path[:depth] == item.path
    }
    # Whether clients are to reach it over EFA is known to nobody else.
    told = {"efa"} if isinstance(item, Lustre) else set()
    kept = {"on_delete"} if item.retain else set()
    return sorted(written - _KNOWN - told - kept)

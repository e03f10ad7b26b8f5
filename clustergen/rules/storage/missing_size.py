"""STG007: storage that needs a size."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Ebs, OpenZfs, Plan

RULE = Rule(
    code="STG007",
    title="No size",
    why="OpenZFS file systems and EBS volumes are as large as they are made, and cost by the size; "
    "no size would be right for everybody.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    bad="storage: [{mount: /home, type: fsx-openzfs}]",
    good="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in plan.storage:
        size: int | None = 0
        if isinstance(item, OpenZfs):
            size = item.size_gib
        elif isinstance(item, Ebs):
            size = item.volume.size_gib
        if size is None and not item.existing:
            yield RULE.at(item.path, f"{item.mount} has no size", help="add e.g. size: 1024GiB")

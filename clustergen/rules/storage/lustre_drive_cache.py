"""FSX012: the drive cache is for hdd."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

RULE = Rule(
    code="FSX012",
    title="Drive cache without hdd",
    why="The SSD cache of 20 % of the capacity belongs to persistent-1 file systems on hdd.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, drive_cache: true}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, drive_cache: false}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.drive_cache and item.storage_class != "HDD":
            yield RULE.at(
                item.at("drive_cache"),
                f"{words(item.storage_class)} has no drive cache",
                help="leave drive_cache out, or write storage_class: hdd",
            )

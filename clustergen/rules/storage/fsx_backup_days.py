"""FSX023: how long FSx keeps automatic backups."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, OpenZfs, Plan

RULE = Rule(
    code="FSX023",
    title="Backups kept too long",
    why="FSx keeps automatic backups for 90 days at the most.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, backups: 120d}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, backups: 90d}]",
)

_MOST_DAYS = 90


def check(plan: Plan) -> Iterator[Finding]:
    for item in plan.storage:
        days = item.backup_days or 0
        if isinstance(item, Lustre | OpenZfs) and not item.existing and days > _MOST_DAYS:
            yield RULE.at(
                item.at("backups"),
                f"{days} days is longer than FSx keeps automatic backups",
                help=f"at most {_MOST_DAYS}d; for longer, take AWS Backup",
            )

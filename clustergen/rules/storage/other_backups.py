"""STG019: backups of EFS and EBS."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Ebs, Efs, Plan

RULE = Rule(
    code="STG019",
    title="Backups that the service does not make by itself",
    why="The automatic backups of EFS are kept for 35 days; EBS volumes have none without a policy "
    "of AWS Backup or of the Data Lifecycle Manager.",
    source="https://docs.aws.amazon.com/efs/latest/ug/automatic-backups.html",
    bad="storage: [{mount: /home, type: efs, backups: 7d}]",
    good="storage: [{mount: /home, type: efs, backups: 35d}]",
)

_EFS_DAYS = 35


def check(plan: Plan) -> Iterator[Finding]:
    for item in plan.storage:
        days = item.backup_days
        if item.existing or days is None:
            continue
        if isinstance(item, Efs) and days != _EFS_DAYS:
            yield RULE.at(
                item.at("backups"),
                f"EFS keeps its automatic backups for {_EFS_DAYS} days, not {days}",
                help=f"write {_EFS_DAYS}d, or leave backups out and make a plan in AWS Backup",
            )
        elif isinstance(item, Ebs):
            yield RULE.at(
                item.at("backups"),
                "EBS volumes have no backups of their own",
                help="leave backups out and make a policy in the Data Lifecycle Manager",
            )

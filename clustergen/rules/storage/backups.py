"""Backups: support and retention."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, safe, unsafe, unwanted
from clustergen.plan.model import Ebs, Efs, Lustre, OpenZfs, Plan
from clustergen.plan.storage_kinds import new, spelled

_FSX_DAYS = 90
_EFS_DAYS = 35


@rule(
    "FSX020",
    "Backups of a file system linked with S3",
    why="FSx makes no backups of file systems with data repositories: their data is in S3.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    backups: 7d
    data_repositories: [{path: /data, s3: s3://training-data/data}]""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    data_repositories: [{path: /data, s3: s3://training-data/data, export: [new, changed]}]""",
)
def linked(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        scratch = item.deployment.startswith("SCRATCH")
        if item.backup_days is not None and item.repositories and not scratch:
            yield unwanted(
                item.at("backups"),
                f"{item.mount} is linked with S3 and has no backups",
                help="remove backups, and export what you want to keep to the data repository",
            )


@rule(
    "FSX021",
    "Backups of a scratch file system",
    why="Scratch file systems have no backups; their data is not even replicated.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, deployment: scratch-2, backups: 7d}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, deployment: persistent-2, backups: 7d}]",
)
def scratch(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if item.backup_days is not None and item.deployment.startswith("SCRATCH"):
            yield unwanted(
                item.at("backups"),
                f"{spelled(item.deployment)} has no backups",
                help="remove backups, or write deployment: persistent-2",
            )


@rule(
    "FSX023",
    "Backups kept too long",
    why="FSx keeps automatic backups for at most 90 days.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, backups: 120d}]",
)
def fsx_days(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        days = item.backup_days or 0
        if isinstance(item, Lustre | OpenZfs) and not item.existing and days > _FSX_DAYS:
            yield Problem(
                item.at("backups"),
                f"{days} days is longer than FSx keeps automatic backups",
                help=f"at most {_FSX_DAYS}d; for longer, use AWS Backup",
                fix=unsafe(put(item.at("backups"), f"{_FSX_DAYS}d")),
            )


@rule(
    "STG019",
    "Backups that the service does not make automatically",
    why="The automatic backups of EFS are kept for 35 days; EBS volumes have none without a policy "
    "of AWS Backup or of the Data Lifecycle Manager.",
    source="https://docs.aws.amazon.com/efs/latest/ug/automatic-backups.html",
    bad="storage: [{mount: /home, type: efs, backups: 7d}]",
)
def efs_and_ebs(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        days = item.backup_days
        if item.existing or days is None:
            continue
        if isinstance(item, Efs) and days != _EFS_DAYS:
            yield Problem(
                item.at("backups"),
                f"EFS keeps its automatic backups for {_EFS_DAYS} days, not {days}",
                help=f"write {_EFS_DAYS}d, or remove backups and make a plan in AWS Backup",
                fix=safe(put(item.at("backups"), f"{_EFS_DAYS}d")),
            )
        elif isinstance(item, Ebs):
            yield unwanted(
                item.at("backups"),
                "EBS volumes have no automatic backups",
                help="remove backups, and create a policy in Data Lifecycle Manager",
            )

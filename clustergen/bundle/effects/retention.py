"""What is kept for a shorter time: events of log groups, and backups."""

from collections.abc import Iterator
from typing import Final

from clustergen.bundle.effects.change import Change
from clustergen.bundle.effects.model import Effect
from clustergen.services.foundation.monitoring import NODE_LOG

SOURCE: Final = (
    "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/"
    "API_PutRetentionPolicy.html"
)
_BACKUPS = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html"
_EFS = "https://docs.aws.amazon.com/efs/latest/ug/awsbackup.html"
_PURGE = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_Accounting.html"
_EXPORT = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/autoexport-data-repo-dra.html"
_SAVE = "export first what you need, with `sacct --allusers --parsable2`"
_DAYS = "RetentionInDays"
_PLACES = "LustreConfiguration", "OpenZFSConfiguration"


def events(change: Change) -> Iterator[Effect]:
    """That CloudWatch deletes events of a log group that it has kept so far."""
    if change.name != NODE_LOG:
        yield from shortened(change.name, _DAYS, *change.both(_DAYS))


def shortened(name: str, path: str, before: int | None, after: int | None) -> Iterator[Effect]:
    """Without a number of days, events stay."""
    if after and (not before or after < before):
        was = _days(before) if before else "forever"
        text = (
            f"deletes events of {name} that are older than {_days(after)}, within about 72 hours "
            f"(they were kept {was}): export first what you need, with `aws logs "
            "create-export-task`"
        )
        yield Effect("data-at-risk", name, path, text, SOURCE)


def _days(count: int) -> str:
    return f"{count} day{'s'[: count != 1]}"


def records(change: Change) -> Iterator[Effect]:
    """That PCS purges records of jobs earlier, or keeps none."""
    modes = change.both("SlurmConfiguration.Accounting.Mode")
    path = "SlurmConfiguration.Accounting.DefaultPurgeTimeInDays"
    before, after = (days or 0 for days in change.both(path))
    name = change.name
    if modes[0] == "STANDARD" != modes[1]:
        text = (
            f"ends the accounting of {name}: the records of its jobs are no longer there; {_SAVE}"
        )
        yield Effect("data-at-risk", name, "SlurmConfiguration.Accounting.Mode", text, _PURGE)
    elif modes[0] == modes[1] == "STANDARD" and after > 0 and not 0 < before <= after:
        was = _days(before) if before > 0 else "forever"
        text = f"purges records of jobs that are older than {_days(after)} (kept {was}): {_SAVE}"
        yield Effect("data-at-risk", name, path, text, _PURGE)


def exports(change: Change) -> Iterator[Effect]:
    """That a deletion in a file system of FSx deletes the object in S3, too."""
    path = "S3.AutoExportPolicy.Events"
    before, after = (found or () for found in change.both(path))
    if "DELETED" in after and "DELETED" not in before:
        text = (
            f"exports deletions of {change.name}: from then on, `rm` in the file system also "
            "deletes the object in S3; turn on the versioning of the bucket first"
        )
        yield Effect("data-at-risk", change.name, path, text, _EXPORT)


def backups(change: Change) -> Iterator[Effect]:
    """That FSx keeps automatic backups for a shorter time, or makes no more."""
    for place in _PLACES:
        path = f"{place}.AutomaticBackupRetentionDays"
        before, after = (days or 0 for days in change.both(path))
        if after < before:
            backups = f"automatic backups of {change.name}"
            text = (
                f"keeps {backups} for {after} days instead of {before}, and may delete older ones"
                if after
                else f"ends {backups}, and may delete those that exist"
            )
            text += ": copy first what you need, with `aws fsx copy-backup`"
            yield Effect("data-at-risk", change.name, path, text, _BACKUPS)


def efs(change: Change) -> Iterator[Effect]:
    """That AWS Backup makes no more backups; those that exist stay as long as they would have."""
    path = "BackupPolicy.Status"
    before, after = change.both(path)
    if before == "ENABLED" and after != "ENABLED":
        text = f"ends automatic backups of {change.name}; those that exist expire as planned"
        yield Effect("data-at-risk", change.name, path, text, _EFS)

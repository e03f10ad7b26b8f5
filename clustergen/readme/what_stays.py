"""Resources that outlive the cluster and its foundation, and how to delete them."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import foundation
from clustergen.foundation import deployment
from clustergen.plan.model import OpenZfs, Plan, Storage
from clustergen.runbook import Runbook

_FOUNDATION = """\
After {event}, the foundation remains and continues to cost money until it is deleted, too."""
_RETAINED = """\
These resources remain even then, because they contain data, or resources with data. Delete them in
this order; {ids}:"""
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_DeleteFileSystemOpenZFSConfiguration.html
# (2026-11): CloudFormation has no property to skip it.
_BACKUPS = """\
FSx takes a final backup of {mounts} when the file system is deleted, with the foundation or by
`fsx delete-file-system`. The backup continues to cost money. List and delete backups:
`aws --region {region} fsx describe-backups --filters Name=file-system-type,Values=OPENZFS`,
`aws --region {region} fsx delete-backup --backup-id ID`."""
_NAMED = "Delete {names} before you deploy this spec again: a new one would have the same name."
_FIXED = {"BucketName", "LogGroupName"}
"""Properties that name a resource; generated names never collide."""


def paragraphs(plan: Plan, runbook: Runbook) -> Iterator[str]:
    """Paragraphs, if anything remains."""
    whole = foundation.build(plan)
    # A cluster of others is not deleted.
    joins = "cluster" in plan.options.existing
    destroyed = "`./deploy.sh --destroy`"
    if whole.resources:
        yield _FOUNDATION.format(event=destroyed if joins else "the cluster is deleted")
    if runbook.remains:
        yield f"{destroyed if joins else 'The cluster'} leaves {runbook.remains}."
    if kept := list(deployment.retained(whole)):
        yield _RETAINED.format(ids=runbook.ids)
        yield "\n".join(
            f"- {name}: `aws --region {plan.region} {command}`" for name, command in kept
        )
    if backed := [item.mount for item in plan.storage if _has_final_backup(item)]:
        yield _BACKUPS.format(mounts=" and ".join(backed), region=plan.region)
    if named := [name for name, _ in kept if _FIXED & set(whole.resources[name]["Properties"])]:
        yield _NAMED.format(names=" and ".join(named))


def _has_final_backup(item: Storage) -> bool:
    """Whether FSx takes one unless the request says otherwise, as it does not of Lustre."""
    return isinstance(item, OpenZfs) and not item.existing

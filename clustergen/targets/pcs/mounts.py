"""How each kind of storage is mounted on a node: with which script and which arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clustergen.aws import cfn, mounts
from clustergen.plan.model import (
    Bucket,
    Efs,
    FileCache,
    Id,
    Lustre,
    Ontap,
    OpenZfs,
    Plan,
    Storage,
)
from clustergen.targets.pcs import limits
from clustergen.targets.pcs.scripts import Script


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system on a node. ``script`` is one of ours, or the URL of one that AWS maintains."""

    label: str
    script: Script | str
    arguments: tuple[Any, ...]


def node_mounts(plan: Plan) -> list[Mount]:
    """All mounts of a node; a folder comes before what is mounted inside it."""
    ordered = mounts.sort(plan.storage)
    return [
        Mount(f"mount {s.mount.strip('/')}", *found) for s in ordered for found in _how(plan, s)
    ]


def _how(plan: Plan, item: Storage) -> Iterator[tuple[Script | str, tuple[Any, ...]]]:
    match item:
        case Lustre() | FileCache():
            yield _lustre(plan, item)
        case Efs():
            yield _efs(plan, item)
        case OpenZfs() | Ontap():
            yield Script("mount-nfs.sh"), _nfs(plan, item)
        case Bucket():
            yield Script("mount-bucket.sh"), _bucket(plan, item)


def _lustre(plan: Plan, item: Lustre | FileCache) -> tuple[str, tuple[Any, ...]]:
    return _by_aws(plan, "mount-fsx-lustre"), (
        *("--fsx-dns-name", cfn.value(item.dns_name)),
        *("--mount-name", _known(item.mount_name)),
        *("--mount-point", item.mount),
        *("--options", mounts.LUSTRE_OPTIONS),
    )


def _efs(plan: Plan, item: Efs) -> tuple[str, tuple[Any, ...]]:
    return _by_aws(plan, "mount-efs"), (
        *("--file-system-id", cfn.value(item.id)),
        *("--mount-point", item.mount),
        *("--options", mounts.EFS_HELPER_OPTIONS),
    )


def _nfs(plan: Plan, item: OpenZfs | Ontap) -> tuple[Any, ...]:
    return (
        item.mount,
        mounts.NFS_OPTIONS,
        _known(item.dns_name),
        *_path(plan, item.volume),
    )


def _known(id: Id | None) -> Any:
    """A name that nodes mount by; a plan where one is missing has errors."""
    return "" if id is None else cfn.value(id)


def _path(plan: Plan, volume: Id | None) -> tuple[str, ...]:
    """The root of a new file system; the path of an existing volume is known to FSx only."""
    if existing := mounts.existing_volume(volume):
        return ("--of-volume", existing, plan.region)
    return (mounts.ROOT_OF_OPENZFS,)


def _bucket(plan: Plan, item: Bucket) -> tuple[str, ...]:
    access = "ro" if item.read_only else "rw"
    prefix = (item.prefix,) if item.prefix else ()
    return (item.mount, plan.region, access, item.bucket, *prefix)


def _by_aws(plan: Plan, script: str) -> str:
    return limits.AWS_SCRIPTS.format(region=plan.region, script=script)

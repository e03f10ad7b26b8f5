"""The file systems that lifecycle scripts mount where HyperPod does not."""

from __future__ import annotations

from clustergen.aws import mounts, references
from clustergen.plan.model import (
    Bucket,
    Efs,
    FileCache,
    Lustre,
    Ontap,
    OpenZfs,
    Plan,
    Storage,
)

Mounted = Lustre | FileCache | OpenZfs | Ontap | Efs | Bucket


def mounted(plan: Plan) -> tuple[Mounted, ...]:
    """What nodes of Slurm mount; a folder comes before what is mounted inside it."""
    found = [item for item in plan.storage if isinstance(item, Mounted)]
    return mounts.sort(found)


def writable(plan: Plan) -> tuple[Mounted, ...]:
    """The mounted file systems that are shared and POSIX, which buckets are not."""
    return tuple(item for item in mounted(plan) if not isinstance(item, Bucket))


def lustre(plan: Plan) -> tuple[Lustre | FileCache, ...]:
    """The file systems that need the Lustre client."""
    return tuple(item for item in plan.storage if isinstance(item, Lustre | FileCache))


def entry(item: Mounted) -> dict[str, str]:
    """A file system in the words of mount(8), with placeholders for what the foundation gives.

    ``volume`` is an FSx volume whose path only FSx knows; ``options`` of a bucket (types
    ``s3`` and ``s3-read-only``) are the prefix in it.
    """
    match item:
        case Lustre() | FileCache():
            source = f"{references.text(item.dns_name)}@tcp:/{references.text(item.mount_name)}"
            return _entry("lustre", item, source, mounts.LUSTRE_OPTIONS)
        case OpenZfs() | Ontap():
            return _nfs(item)
        case Efs():
            return _entry(
                "nfs4",
                item,
                f"{references.text(item.dns_name)}:/",
                mounts.EFS_NFS_OPTIONS,
            )
        case Bucket():
            type = "s3-read-only" if item.read_only else "s3"
            return _entry(type, item, item.bucket, _folder(item.prefix))


def _nfs(item: OpenZfs | Ontap) -> dict[str, str]:
    server, options = references.text(item.dns_name), mounts.NFS_OPTIONS
    if volume := mounts.existing_volume(item.volume):
        return _entry("nfs", item, server, options) | {"volume": volume}
    return _entry("nfs", item, f"{server}:{mounts.ROOT_OF_OPENZFS}", options)


def _folder(prefix: str) -> str:
    return f"{prefix.rstrip('/')}/" if prefix else ""


def _entry(type: str, item: Storage, source: str, options: str) -> dict[str, str]:
    return {"type": type, "mount": item.mount, "source": source, "options": options}

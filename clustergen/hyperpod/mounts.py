"""The file systems that lifecycle scripts mount where HyperPod has not done it."""

from __future__ import annotations

from clustergen.plan.model import (
    Bucket,
    Efs,
    FileCache,
    Id,
    Lustre,
    Ontap,
    OpenZfs,
    Plan,
    Ref,
    Storage,
)

Mounted = Lustre | FileCache | OpenZfs | Ontap | Efs | Bucket

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html (2026-11)
_LUSTRE_OPTIONS = "noatime,flock,lazystatfs"
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/performance.html (2026-11)
_NFS_OPTIONS = "noatime,nfsvers=3,nconnect=16,rsize=1048576,wsize=1048576"
# https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-nfs-mount-settings.html (2026-11)
_EFS_OPTIONS = "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport"
_ROOT_OF_OPENZFS = "/fsx"


def of(plan: Plan) -> tuple[Mounted, ...]:
    """What nodes of Slurm mount; a folder comes before what is mounted inside it."""
    found = [item for item in plan.storage if isinstance(item, Mounted)]
    return tuple(sorted(found, key=lambda item: item.mount.rstrip("/").split("/")))


def writable(plan: Plan) -> tuple[Mounted, ...]:
    """What of :func:`of` takes files that every node sees, as files of a POSIX file system."""
    return tuple(item for item in of(plan) if not isinstance(item, Bucket))


def lustre(plan: Plan) -> tuple[Lustre | FileCache, ...]:
    """What needs the Lustre client."""
    return tuple(item for item in plan.storage if isinstance(item, Lustre | FileCache))


def entry(item: Mounted) -> dict[str, str]:
    """A file system in the words of mount(8), with placeholders for what the foundation gives.

    ``volume`` is an FSx volume whose path is known to FSx only; ``options`` of a bucket (types
    ``s3`` and ``s3-read-only``) are the prefix in it.
    """
    match item:
        case Lustre() | FileCache():
            source = f"{_text(item.dns_name)}@tcp:/{_text(item.mount_name)}"
            return _entry("lustre", item, source, _LUSTRE_OPTIONS)
        case OpenZfs() | Ontap():
            return _nfs(item)
        case Efs():
            return _entry("nfs4", item, f"{_text(item.dns_name)}:/", _EFS_OPTIONS)
        case Bucket():
            type = "s3-read-only" if item.read_only else "s3"
            return _entry(type, item, item.bucket, _folder(item.prefix))


def _nfs(item: OpenZfs | Ontap) -> dict[str, str]:
    server = _text(item.dns_name)
    if item.volume is None or isinstance(item.volume, Ref):
        return _entry("nfs", item, f"{server}:{_ROOT_OF_OPENZFS}", _NFS_OPTIONS)
    return _entry("nfs", item, server, _NFS_OPTIONS) | {"volume": item.volume}


def _folder(prefix: str) -> str:
    return f"{prefix.rstrip('/')}/" if prefix else ""


def _entry(type: str, item: Storage, source: str, options: str) -> dict[str, str]:
    return {"type": type, "mount": item.mount, "source": source, "options": options}


def _text(id: Id | None) -> str:
    """An id as text; a plan where one is missing has errors."""
    return f"${{{id.name}}}" if isinstance(id, Ref) else id or ""

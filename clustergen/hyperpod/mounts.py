"""The file systems that lifecycle scripts mount where HyperPod has not done it."""

from __future__ import annotations

from clustergen.plan.model import FileCache, Id, Lustre, OpenZfs, Plan, Ref

Mounted = Lustre | FileCache | OpenZfs

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html (2026-11)
_LUSTRE_OPTIONS = "noatime,flock,lazystatfs"
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/performance.html (2026-11)
_NFS_OPTIONS = "noatime,nfsvers=3,nconnect=16,rsize=1048576,wsize=1048576"
_ROOT_OF_OPENZFS = "/fsx"


def of(plan: Plan) -> tuple[Mounted, ...]:
    """What nodes of Slurm mount; a folder comes before what is mounted inside it."""
    found = [item for item in plan.storage if isinstance(item, Mounted)]
    return tuple(sorted(found, key=lambda item: item.mount.rstrip("/").split("/")))


def lustre(plan: Plan) -> tuple[Lustre | FileCache, ...]:
    """What needs the Lustre client."""
    return tuple(item for item in plan.storage if isinstance(item, Lustre | FileCache))


def entry(item: Mounted) -> dict[str, str]:
    """A file system in the words of mount(8), with placeholders for what the foundation gives.

    ``volume`` is an FSx volume whose path is known to FSx only.
    """
    if isinstance(item, Lustre | FileCache):
        source = f"{_text(item.dns_name)}@tcp:/{_text(item.mount_name)}"
        return _entry("lustre", item, source, _LUSTRE_OPTIONS)
    server = _text(item.dns_name)
    if item.volume is None or isinstance(item.volume, Ref):
        return _entry("nfs", item, f"{server}:{_ROOT_OF_OPENZFS}", _NFS_OPTIONS)
    return _entry("nfs", item, server, _NFS_OPTIONS) | {"volume": item.volume}


def _entry(type: str, item: Mounted, source: str, options: str) -> dict[str, str]:
    return {"type": type, "mount": item.mount, "source": source, "options": options}


def _text(id: Id | None) -> str:
    """An id as text; a plan where one is missing has errors."""
    return f"${{{id.name}}}" if isinstance(id, Ref) else id or ""

"""How file systems are mounted: options of mount(8), paths, and the order of mounting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from clustergen.plan.model import Id, Ref, Storage

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html (2026-11)
LUSTRE_OPTIONS = "noatime,flock,lazystatfs"
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/performance.html (2026-11)
NFS_OPTIONS = "noatime,nfsvers=3,nconnect=16,rsize=1048576,wsize=1048576"
# https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-nfs-mount-settings.html (2026-11)
EFS_NFS_OPTIONS = "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport"
# With efs-utils. Not `iam`, which rejects clients that a file system policy does not name.
EFS_HELPER_OPTIONS = "tls"
ROOT_OF_OPENZFS = "/fsx"
"""The path of the root volume of every FSx for OpenZFS file system."""

S = TypeVar("S", bound=Storage)


def sort(items: Iterable[S]) -> tuple[S, ...]:
    """``items`` in the order of mounting: a folder comes before what is mounted inside it."""
    return tuple(sorted(items, key=lambda item: item.mount.rstrip("/").split("/")))


def existing_volume(volume: Id | None) -> str | None:
    """The FSx volume whose path only FSx knows; None where the root volume is mounted."""
    return None if isinstance(volume, Ref) else volume

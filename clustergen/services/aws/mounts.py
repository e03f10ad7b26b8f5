"""Mounting file systems: options of mount(8), paths, and the order of mounts."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

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
from clustergen.services.aws import references

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html (2026-11)
LUSTRE_OPTIONS = "noatime,flock,lazystatfs"
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/performance.html (2026-11)
# NFS 4.1 servers notify clients of released locks; version 3 needs an open port on clients.
NFS_OPTIONS = "noatime,nfsvers=4.1,nconnect=16,rsize=1048576,wsize=1048576"
# https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-nfs-mount-settings.html (2026-11)
EFS_NFS_OPTIONS = "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport"
ROOT_OF_OPENZFS = "/fsx"
"""The path of the root volume of every FSx for OpenZFS file system."""

LOCAL_HOMES = "/home"
EXPORTED_HOMES = "home"
"""Folder of home directories on a file system that is not mounted at /home."""

Mounted = Lustre | FileCache | OpenZfs | Ontap | Efs | Bucket
"""Storage that clustergen's scripts mount on Slurm nodes."""

S = TypeVar("S", bound=Storage)


def mounted(plan: Plan) -> tuple[Mounted, ...]:
    """The storage that Slurm nodes mount; a folder precedes mounts inside it."""
    return sort([item for item in plan.storage if isinstance(item, Mounted)])


def writable(plan: Plan) -> tuple[Mounted, ...]:
    """The mounted file systems that are shared and POSIX; this excludes buckets."""
    return tuple(item for item in mounted(plan) if not isinstance(item, Bucket))


def shared(plan: Plan) -> str:
    """Where all nodes share files: the first Lustre, else what is mounted first; else empty."""
    found = sorted(writable(plan), key=lambda item: not isinstance(item, Lustre))
    return found[0].mount.rstrip("/") if found else ""


def lustre(plan: Plan) -> tuple[Lustre | FileCache, ...]:
    """The file systems that need the Lustre client."""
    return tuple(item for item in plan.storage if isinstance(item, Lustre | FileCache))


def homes(plan: Plan) -> tuple[str, bool]:
    """The folder of the home directories, and whether nodes share it."""
    shared = [item.mount.rstrip("/") for item in writable(plan)]
    if LOCAL_HOMES in shared or not shared:
        return LOCAL_HOMES, bool(shared)
    return f"{shared[0]}/{EXPORTED_HOMES}", True


def exports_homes(plan: Plan) -> bool:
    """Whether the head node shares its /home, as ParallelCluster has it.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html (2026-11)
    """
    return plan.head is not None and not plan.sagemaker


def arguments_of_users(plan: Plan, *, makes_homes: bool) -> tuple[str, ...]:
    """Arguments of ``users.sh``; with shared homes, one node of a new cluster makes them all."""
    folder, shared = homes(plan)
    if plan.creates_cluster:
        return folder, "make" if makes_homes or not shared else "leave"
    theirs = [item.mount.rstrip("/") for item in writable(plan) if item.existing]
    if folder == LOCAL_HOMES or not theirs:
        return folder, "find"
    # clustergen has a folder for homes, AWS's lifecycle scripts have them at the root.
    # https://github.com/aws-samples/awsome-distributed-training/blob/main/1.architectures/5.sagemaker-hyperpod/LifecycleScripts/base-config/shared_users_sample.txt
    places = (place for root in theirs for place in (f"{root}/{EXPORTED_HOMES}", root))
    return theirs[0], "find", *places


def needs_preparation(item: Mounted) -> bool:
    """Whether users can use it only after the mount script.

    The root of a new Lustre or EFS file system belongs to root alone, and one at /home hides the
    homes of the image's users.
    https://github.com/aws-samples/aws-hpc-recipes/tree/main/recipes/pcs-scripts/open_shared_dir
    https://docs.aws.amazon.com/efs/latest/ug/accessing-fs-nfs-permissions.html
    """
    of_root = isinstance(item, Lustre | FileCache | Efs) and not item.existing
    return of_root or item.mount.rstrip("/") == LOCAL_HOMES


class Mount(NamedTuple):
    """Arguments of the mount script for one file system, with placeholders for its names.

    ``type`` is lustre, nfs, efs, s3 or s3-read-only. ``options`` are mount(8) options, or the
    prefix in a bucket. ``age`` is ``new`` for file systems that the foundation creates: nodes test
    them with a write, and let users write to the root of Lustre and EFS. ``volume`` is an FSx
    volume whose path only FSx knows; for Lustre, it is the folders of :func:`exported`.
    """

    type: str
    mount: str
    source: str
    options: str
    age: str
    volume: str = ""


def mount(item: Mounted) -> Mount:
    """The arguments with which nodes mount ``item``."""
    match item:
        case Lustre() | FileCache():
            source = f"{references.text(item.dns_name)}@tcp:/{references.text(item.mount_name)}"
            return _mount("lustre", item, source, LUSTRE_OPTIONS, " ".join(exported(item)))
        case OpenZfs() | Ontap():
            return _nfs(item)
        case Efs():
            return _mount("efs", item, f"{references.text(item.dns_name)}:/", EFS_NFS_OPTIONS)
        case Bucket():
            type = "s3-read-only" if item.read_only else "s3"
            prefix = f"{item.prefix.rstrip('/')}/" if item.prefix else ""
            return _mount(type, item, item.bucket, prefix)


def exported(item: Storage) -> tuple[str, ...]:
    """The folders whose changes FSx exports to S3, and that users cannot write to at first.

    The folder of the home directories stays root's, as /home does.
    """
    linked = item.repositories if isinstance(item, Lustre) else ()
    paths = (each.path.rstrip("/") for each in linked if each.exports)
    return tuple(path for path in paths if path not in ("", f"/{EXPORTED_HOMES}"))


def _nfs(item: OpenZfs | Ontap) -> Mount:
    server = references.text(item.dns_name)
    if volume := existing_volume(item.volume):
        return _mount("nfs", item, server, NFS_OPTIONS, volume)
    return _mount("nfs", item, f"{server}:{ROOT_OF_OPENZFS}", NFS_OPTIONS)


def _mount(type: str, item: Storage, source: str, options: str, volume: str = "") -> Mount:
    age = "existing" if item.existing else "new"
    return Mount(type, item.mount, source, options, age, volume)


def sort(items: Iterable[S]) -> tuple[S, ...]:
    """``items`` in mount order: a folder precedes mounts inside it."""
    return tuple(sorted(items, key=lambda item: item.mount.rstrip("/").split("/")))


def existing_volume(volume: Id | None) -> str | None:
    """The FSx volume whose path only FSx knows; None if the root volume is mounted."""
    return None if isinstance(volume, Ref) else volume

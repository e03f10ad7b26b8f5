"""``SharedStorage``: file systems attached by id, and EBS volumes that the head node exports.

The foundation creates file systems, which outlive clusters, so ParallelCluster only attaches them.
It creates EBS volumes with the head node, in its zone, and exports them over NFS.
"""

from __future__ import annotations

from typing import Any

from clustergen.aws.members import filled
from clustergen.aws.references import text
from clustergen.digests import sha256
from clustergen.plan.model import Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.targets.parallelcluster.limits import MAX_STORAGE_NAME, RESERVED_NAME


def shared_storage(plan: Plan) -> list[dict[str, Any]]:
    """One entry for each file system that ParallelCluster mounts on all nodes."""
    return [entry for storage in plan.storage if (entry := _entry(storage))]


def storage_name(mount: str) -> str:
    """The entry's name, made only from the mount path, because an update cannot change it.

    ``+`` replaces slashes, because mount paths do not contain it: ``/data/x`` is ``data+x``. With
    slashes, ParallelCluster would treat names as nested paths.
    """
    name = mount.strip("/").replace("/", "+")
    if name and len(name) <= MAX_STORAGE_NAME and name != RESERVED_NAME:
        return name
    return "storage-" + sha256(mount)[:8]


def _entry(storage: Storage) -> dict[str, Any] | None:
    settings = _settings(storage)
    if settings is None:
        return None
    kind, inner = settings
    return {
        "MountDir": storage.mount,
        "Name": storage_name(storage.mount),
        "StorageType": kind,
        f"{kind}Settings": inner,
    }


def _settings(storage: Storage) -> tuple[str, dict[str, Any]] | None:
    """StorageType and settings; None for storage that ParallelCluster cannot mount."""
    match storage:
        case Lustre():
            return "FsxLustre", {"FileSystemId": text(storage.id)}
        case OpenZfs():
            return "FsxOpenZfs", {"VolumeId": text(storage.volume or "")}
        case Ontap():
            return "FsxOntap", {"VolumeId": text(storage.volume)}
        case FileCache():
            return "FileCache", {"FileCacheId": text(storage.id)}
        case Efs():
            return "Efs", {"FileSystemId": text(storage.id), "EncryptionInTransit": True}
        case Ebs():
            return "Ebs", _ebs(storage)
    return None


def _ebs(storage: Ebs) -> dict[str, Any]:
    if storage.existing:
        return {"VolumeId": text(storage.id)}
    return filled(
        VolumeType=storage.volume.type,
        Size=storage.volume.size_gib,
        Iops=storage.volume.iops,
        Throughput=storage.volume.throughput,
        Encrypted=True,
        KmsKeyId=storage.kms_key,
        DeletionPolicy="Retain" if storage.retain else "Delete",
    )

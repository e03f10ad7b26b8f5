"""``SharedStorage``: file systems attached by id, and EBS volumes that the head node exports.

The foundation creates file systems, which outlive clusters, so ParallelCluster only attaches them.
It creates EBS volumes with the head node, in its zone, and exports them over NFS.
"""

from typing import Any

from clustergen.base.digests import sha256
from clustergen.plan.model import Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.services.aws.members import filled
from clustergen.services.aws.references import text
from clustergen.targets.parallelcluster.limits import MAX_STORAGE_NAME, RESERVED_NAME
from clustergen.targets.parallelcluster.options import Options


def shared_storage(plan: Plan) -> list[dict[str, Any]]:
    """One entry for each file system that ParallelCluster mounts on all nodes."""
    tls = not plan.options_as(Options).leaves_out("efs-tls")
    return [entry for storage in plan.storage if (entry := _entry(storage, tls=tls))]


def storage_name(mount: str) -> str:
    """The entry's name, made only from the mount path, because an update cannot change it.

    ``+`` replaces slashes, because mount paths do not contain it: ``/data/x`` is ``data+x``. With
    slashes, ParallelCluster would treat names as nested paths.
    """
    name = mount.strip("/").replace("/", "+")
    if name and len(name) <= MAX_STORAGE_NAME and name != RESERVED_NAME:
        return name
    return "storage-" + sha256(mount)[:8]


def _entry(storage: Storage, *, tls: bool) -> dict[str, Any] | None:
    settings = _settings(storage, tls=tls)
    if settings is None:
        return None
    kind, inner = settings
    return {
        "MountDir": storage.mount,
        "Name": storage.name or storage_name(storage.mount),
        "StorageType": kind,
        f"{kind}Settings": inner,
    }


def _settings(storage: Storage, *, tls: bool) -> tuple[str, dict[str, Any]] | None:
    """StorageType and settings; None for storage that ParallelCluster cannot mount."""
    match storage:
        case Lustre(new_in_cluster=True):
            return "FsxLustre", _lustre(storage)
        case Efs(new_in_cluster=True):
            return "Efs", _efs(storage)
        case Lustre():
            return "FsxLustre", {"FileSystemId": text(storage.id)}
        case OpenZfs():
            return "FsxOpenZfs", {"VolumeId": text(storage.volume or "")}
        case Ontap():
            return "FsxOntap", {"VolumeId": text(storage.volume)}
        case FileCache():
            return "FileCache", {"FileCacheId": text(storage.id)}
        case Efs():
            return "Efs", filled(FileSystemId=text(storage.id), EncryptionInTransit=tls or None)
        case Ebs():
            return "Ebs", _ebs(storage)
    return None


def _lustre(storage: Lustre) -> dict[str, Any]:
    """A file system that ParallelCluster creates."""
    hdd = storage.storage_class == "HDD"
    return filled(
        StorageCapacity=storage.size_gib,
        DeploymentType=storage.deployment,
        StorageType="HDD" if hdd else None,
        DriveCacheType="READ" if hdd and storage.drive_cache else None,
        PerUnitStorageThroughput=storage.throughput,
        DataCompressionType=storage.compression if storage.compression != "NONE" else None,
        KmsKeyId=storage.kms_key,
        AutomaticBackupRetentionDays=storage.backup_days,
        ImportPath=storage.import_from,
        ExportPath=storage.export_to,
        DataRepositoryAssociations=[
            filled(
                Name=f"{storage.output}-{number}",
                FileSystemPath=repository.path,
                DataRepositoryPath=repository.s3,
                BatchImportMetaDataOnCreate=True,
                AutoImportPolicy=list(repository.imports),
                AutoExportPolicy=list(repository.exports),
            )
            for number, repository in enumerate(storage.repositories, 1)
        ],
        DeletionPolicy=_deletion_policy(storage),
    )


def _efs(storage: Efs) -> dict[str, Any]:
    """A file system that ParallelCluster creates."""
    return filled(
        ThroughputMode=storage.throughput_mode,
        ProvisionedThroughput=storage.throughput,
        Encrypted=storage.encrypted or None,
        KmsKeyId=storage.kms_key,
        DeletionPolicy=_deletion_policy(storage),
    )


def _deletion_policy(storage: Storage) -> str:
    if isinstance(storage, Ebs) and storage.ends_as_snapshot:
        return "Snapshot"
    return "Retain" if storage.retain else "Delete"


def _ebs(storage: Ebs) -> dict[str, Any]:
    if storage.existing:
        return {"VolumeId": text(storage.id)}
    return filled(
        VolumeType=storage.volume.type,
        Size=storage.volume.size_gib,
        Iops=storage.volume.iops,
        Throughput=storage.volume.throughput,
        Encrypted=storage.encrypted,
        KmsKeyId=storage.kms_key,
        SnapshotId=storage.snapshot,
        Raid={"Type": storage.raid.level, "NumberOfVolumes": storage.raid.volumes}
        if storage.raid
        else None,
        DeletionPolicy=_deletion_policy(storage),
    )

"""File systems and volumes of a plan."""

from dataclasses import dataclass
from typing import Literal

from clustergen.base.findings import Path
from clustergen.plan.model.network import Id
from clustergen.plan.model.nodes import Volume


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Fields that all kinds of storage share. ``output`` is the stem of its foundation outputs."""

    path: Path
    mount: str
    output: str
    existing: bool
    id: Id
    retain: bool
    kms_key: str | None = None
    backup_days: int | None = None
    name: str | None = None
    """Its name in ParallelCluster, in place of one from the mount point."""
    by_cluster: bool = False
    """The cluster creates it, not the foundation."""

    def at(self, *steps: str | int) -> Path:
        return (*self.path, *steps)

    @property
    def new_in_cluster(self) -> bool:
        """Whether it does not exist yet, and the cluster creates it."""
        return self.by_cluster and not self.existing


@dataclass(frozen=True, slots=True)
class Repository:
    """A data repository association; changes in the API's spelling (NEW, CHANGED, DELETED)."""

    path: str
    s3: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lustre(Storage):
    """FSx for Lustre. For existing file systems, only ids and names are known."""

    dns_name: Id
    mount_name: Id | None
    deployment: Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = "PERSISTENT_2"
    storage_class: Literal["SSD", "HDD", "INTELLIGENT_TIERING"] = "SSD"
    size_gib: int | None = None
    throughput: int | None = None
    """MB/s per TiB; with INTELLIGENT_TIERING, MB/s of the file system."""
    metadata_iops: int | Literal["AUTOMATIC"] | None = None
    efa: bool = False
    compression: Literal["LZ4", "NONE"] = "LZ4"
    drive_cache: bool = False
    read_cache_gib: int | Literal["auto", "none"] = "auto"
    repositories: tuple[Repository, ...] = ()
    import_from: str | None = None
    export_to: str | None = None
    """Places in S3 of the whole file system, in place of repositories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfs(Storage):
    """FSx for OpenZFS; ``volume`` is the root volume, ``throughput`` MB/s of the file system."""

    dns_name: Id
    volume: Id | None
    deployment: str = "SINGLE_AZ_2"
    size_gib: int | None = None
    throughput: int | None = None
    iops: int | None = None
    compression: Literal["LZ4", "ZSTD", "NONE"] = "LZ4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ontap(Storage):
    """An existing FSx for ONTAP volume."""

    dns_name: Id | None
    """None if the spec has none; it contains the id of a storage virtual machine."""
    volume: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCache(Storage):
    """An existing Amazon File Cache."""

    dns_name: Id
    mount_name: Id | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Efs(Storage):
    """EFS; ``throughput`` in MiB/s with mode provisioned."""

    dns_name: Id
    throughput_mode: Literal["elastic", "bursting", "provisioned"] = "elastic"
    throughput: int | None = None
    one_zone: bool = False
    encrypted: bool = True


@dataclass(frozen=True, slots=True)
class Raid:
    """Several volumes as one."""

    level: int
    volumes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ebs(Storage):
    """An EBS volume that the head node exports."""

    volume: Volume
    encrypted: bool = True
    snapshot: str | None = None
    ends_as_snapshot: bool = False
    """Whether a snapshot is all that stays of it."""
    raid: Raid | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(Storage):
    """A bucket mounted with Mountpoint for Amazon S3."""

    bucket: str
    prefix: str
    read_only: bool

"""``storage``: file systems, by mount path."""

from typing import Annotated, Final, Literal

from pydantic import Field

from clustergen.facts.catalog import fsx
from clustergen.spec import base, patterns

Change = Literal["new", "changed", "deleted"]
OnDelete = Literal["retain", "delete"]


class Existing(base.Section):
    """An existing file system, with facts that cannot be derived from its id."""

    id: base.FileSystemId | base.EbsVolumeId = Field(
        description="File system, file cache or EBS volume id."
    )
    dns_name: str | None = Field(
        None,
        description="DNS name; default: the form the service uses.",
        pattern=patterns.HOST.regex,
    )
    mount_name: str | None = Field(
        None, description="Lustre mount name.", pattern=patterns.MOUNT_NAME.regex
    )
    volume_id: base.FsxVolumeId | None = Field(None, description="OpenZFS or ONTAP volume id.")


class DataRepository(base.Section):
    """An S3 prefix that appears as a folder of a Lustre file system."""

    path: base.MountPath = Field(description="Folder in the file system.")
    s3: base.S3Uri = Field(description="s3://bucket/prefix.")
    import_: list[Change] = Field([], alias="import", description="Changes imported from S3.")
    export: list[Change] = Field([], description="Changes exported to S3.")


class _Storage(base.Section):
    mount: base.MountPath = Field(description="Mount point on every node.")
    on_delete: OnDelete = Field(
        "retain", description="What happens to the data when the foundation is deleted."
    )
    existing: Existing | None = Field(
        None, description="Use this file system instead of a new one."
    )
    name: Annotated[str, Field(pattern=patterns.STORAGE_NAME.regex)] | None = Field(
        None,
        description="Its name in ParallelCluster, which updates cannot change; default: from "
        "the mount point.",
    )


class _Created(_Storage):
    kms_key: base.KmsKey | None = Field(
        None, description="ARN of a KMS key; default: the AWS managed key."
    )
    backups: base.LongSeconds | None = Field(
        None, description="Retention time of daily backups, e.g. 7d."
    )


CreatedBy = Literal["foundation", "cluster"]
_CREATED_BY: Final = (
    "foundation: outlives clusters; cluster: created and deleted with the cluster, unless "
    "on_delete says retain."
)


class FsxLustre(_Created):
    """FSx for Lustre."""

    type: Literal["fsx-lustre"]
    created_by: CreatedBy = Field("foundation", description=_CREATED_BY)
    size: base.GiB | None = Field(None, description="Capacity.")
    deployment: Literal["auto", "scratch-1", "scratch-2", "persistent-1", "persistent-2"] = Field(
        "auto", description="auto: persistent-2 if throughput is given or the region supports it."
    )
    storage_class: Literal["ssd", "hdd", "intelligent-tiering"] = Field(
        "ssd", description="Storage class."
    )
    throughput: int | None = Field(
        None, ge=1, description="MB/s per TiB; with intelligent-tiering, MB/s of the file system."
    )
    metadata_iops: Literal["auto"] | int | None = Field(
        None, description="auto, or a provisioned value."
    )
    efa: bool = Field(False, description="Serve clients over EFA.")
    compression: Literal["lz4", "none"] = Field("lz4", description="Data compression.")
    drive_cache: bool = Field(False, description="SSD read cache of an hdd file system.")
    read_cache: base.GiB | Literal["auto", "none"] = Field(
        "auto", description="SSD read cache with intelligent-tiering."
    )
    data_repositories: list[DataRepository] = Field(
        [], max_length=fsx.MAX_DATA_REPOSITORIES, description="Linked S3 prefixes."
    )
    import_from: base.S3Uri | None = Field(
        None,
        description="S3 location to import from (scratch and persistent-1 only; otherwise use "
        "data_repositories).",
    )
    export_to: base.S3Uri | None = Field(
        None, description="S3 location to export changed files to, in the bucket of import_from."
    )


class FsxOpenZfs(_Created):
    """FSx for OpenZFS, mounted over NFS."""

    type: Literal["fsx-openzfs"]
    size: base.GiB | None = Field(None, description="Capacity.")
    throughput: int | None = Field(None, ge=1, description="MB/s of the file system.")
    iops: int | None = Field(None, ge=1, description="Provisioned IOPS; default: 3 per GiB.")
    deployment: Literal["single-az-1", "single-az-2", "single-az-ha-1", "single-az-ha-2"] = Field(
        "single-az-2", description="Deployment type."
    )
    compression: Literal["lz4", "zstd", "none"] = Field("lz4", description="Data compression.")


class FsxOntap(_Storage):
    """FSx for NetApp ONTAP: an existing volume."""

    type: Literal["fsx-ontap"]


class FileCache(_Storage):
    """Amazon File Cache: an existing cache."""

    type: Literal["file-cache"]


class Efs(_Created):
    """Elastic File System."""

    type: Literal["efs"]
    created_by: CreatedBy = Field("foundation", description=_CREATED_BY)
    encrypted: bool = Field(True, description="Encrypt the data.")
    throughput_mode: Literal["elastic", "bursting", "provisioned"] = Field(
        "elastic", description="Throughput mode."
    )
    throughput: int | None = Field(
        None,
        ge=fsx.EFS_PROVISIONED_MIBPS[0],
        le=fsx.EFS_PROVISIONED_MIBPS[1],
        description="MiB/s, with mode provisioned.",
    )
    one_zone: bool = Field(False, description="Store the data in one zone: cheaper, less durable.")


class Raid(base.Section):
    """Several volumes as one."""

    level: Literal[0, 1] = Field(description="RAID level.")
    volumes: int = Field(2, ge=2, le=5, description="Number of volumes.")


class Ebs(_Created):
    """An EBS volume that the head node exports."""

    type: Literal["ebs"]
    on_delete: Literal["retain", "delete", "snapshot"] = Field(  # type: ignore[assignment]
        "retain", description="What happens to the data when the cluster is deleted."
    )
    size: base.GiB | None = Field(None, description="Capacity.")
    volume_type: Literal["gp3", "gp2", "io1", "io2", "st1", "sc1"] = Field(
        "gp3", description="Volume type."
    )
    iops: int | None = Field(None, ge=1, description="Provisioned IOPS.")
    throughput: int | None = Field(None, ge=1, description="gp3 throughput in MiB/s.")
    encrypted: bool = Field(True, description="Encrypt the data.")
    snapshot: Annotated[str, Field(pattern=patterns.SNAPSHOT.regex)] | None = Field(
        None, description="Snapshot that it begins with."
    )
    raid: Raid | None = Field(None, description="Several volumes as one.")


class S3(_Storage):
    """A bucket, mounted with Mountpoint for Amazon S3."""

    type: Literal["s3"]
    bucket: base.S3Uri = Field(description="s3://bucket or s3://bucket/prefix.")
    read_only: bool = Field(True, description="Mount without write access.")


Storage = Annotated[
    FsxLustre | FsxOpenZfs | FsxOntap | FileCache | Efs | Ebs | S3, Field(discriminator="type")
]

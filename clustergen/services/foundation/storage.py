"""File systems: FSx for Lustre, FSx for OpenZFS and EFS, encrypted, in the private subnet."""

from typing import Any

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import regions
from clustergen.plan import storage_kinds
from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan, Repository, Storage, Subnet
from clustergen.plan.network import zone_stem
from clustergen.services.aws import cfn, iam
from clustergen.services.aws.members import filled, present
from clustergen.services.foundation.parts import Output, Part, here, lasting, named, serves
from clustergen.services.foundation.security import groups_of, rules_for

LUSTRE_VERSION = "2.15"
"""All deployment types support it, and it is the only one that all current clients can mount.
https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html (2026-08)"""


def part(plan: Plan) -> Part:
    """All new file systems of the spec, with the names needed to mount them."""
    return Part.of(_part(plan, storage) for storage in storage_kinds.created(plan))


def _part(plan: Plan, storage: Lustre | OpenZfs | Efs) -> Part:
    match storage:
        case Lustre():
            return _lustre(plan, storage)
        case OpenZfs():
            return _openzfs(plan, storage)
        case Efs():
            return _efs(plan, storage)


def _outputs(storage: Storage, kind: str, *more: tuple[str, str, Any]) -> dict[str, Output]:
    """The id of a file system, and what else nodes need to mount it."""
    rows = (("Id", f"{kind} file system", cfn.ref(storage.output)), *more)
    return {f"{storage.output}{end}": Output(f"{w} of {storage.mount}", v) for end, w, v in rows}


def _fsx(plan: Plan, storage: Lustre | OpenZfs, properties: Json) -> Json:
    """Properties that both kinds of FSx file systems share."""
    properties = {
        **properties,
        "SubnetIds": [here(plan.network.private[0].id)],
        "SecurityGroupIds": groups_of(plan, storage),
        **present(KmsKeyId=storage.kms_key),
        "Tags": named(plan, _tail(storage)),
    }
    after = filled(DependsOn=rules_for(plan, storage))
    made = {"Type": "AWS::FSx::FileSystem", **after, "Properties": properties}
    return lasting(made, storage.retain)


def _lustre(plan: Plan, storage: Lustre) -> Part:
    properties = {
        "FileSystemType": "LUSTRE",
        "FileSystemTypeVersion": LUSTRE_VERSION,
        "StorageType": storage.storage_class,
        **present(StorageCapacity=storage.size_gib),
        "LustreConfiguration": _lustre_configuration(storage),
    }
    name = storage.output
    return Part(
        {name: _fsx(plan, storage, properties), **_repositories(plan, storage)},
        _outputs(
            storage,
            "FSx for Lustre",
            ("DnsName", "DNS name", cfn.get_att(name, "DNSName")),
            ("MountName", "Lustre mount name", cfn.get_att(name, "LustreMountName")),
        ),
    )


def _lustre_configuration(storage: Lustre) -> Json:
    persistent = storage.deployment.startswith("PERSISTENT")
    backups = {"AutomaticBackupRetentionDays": storage.backup_days or 0, "CopyTagsToBackups": True}
    return {
        "DeploymentType": storage.deployment,
        **_throughput(storage),
        "DataCompressionType": storage.compression,
        **(_metadata(storage.metadata_iops) if storage.metadata_iops is not None else {}),
        **({"EfaEnabled": True} if storage.efa else {}),
        **present(ImportPath=storage.import_from, ExportPath=storage.export_to),
        # Scratch file systems have no backups and reject settings for them.
        **(backups if persistent else {}),
    }


def _throughput(storage: Lustre) -> Json:
    if storage.storage_class == "INTELLIGENT_TIERING":
        return {
            "ThroughputCapacity": storage.throughput,
            "DataReadCacheConfiguration": _read_cache(storage.read_cache_gib),
        }
    unit = present(PerUnitStorageThroughput=storage.throughput)
    if storage.storage_class == "HDD":
        # Required with HDD, even without a cache.
        unit["DriveCacheType"] = "READ" if storage.drive_cache else "NONE"
    return unit


def _read_cache(size: int | str) -> Json:
    if isinstance(size, int):
        return {"SizingMode": "USER_PROVISIONED", "SizeGiB": size}
    return {"SizingMode": "NO_CACHE" if size == "none" else "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"}


def _metadata(iops: int | str) -> Json:
    mode = {"Mode": "USER_PROVISIONED", "Iops": iops} if isinstance(iops, int) else {"Mode": iops}
    return {"MetadataConfiguration": mode}


def _repositories(plan: Plan, storage: Lustre) -> Json:
    """The links to S3, created one after another: FSx fails some that are created at the same time.

    https://github.com/hashicorp/terraform-provider-aws/issues/24678
    """
    made: Json = {}
    for number, repository in enumerate(storage.repositories, 1):
        before = list(made)[-1:]
        association = _association(plan, storage, repository, before)
        made[f"Repository{number}Of{storage.output}"] = lasting(association, storage.retain)
    return made


def _association(plan: Plan, storage: Lustre, repository: Repository, after: list[str]) -> Json:
    events = {"AutoImportPolicy": repository.imports, "AutoExportPolicy": repository.exports}
    s3 = {policy: {"Events": list(changes)} for policy, changes in events.items() if changes}
    properties = {
        "FileSystemId": cfn.ref(storage.output),
        "FileSystemPath": repository.path,
        "DataRepositoryPath": repository.s3,
        # Existing objects of the bucket appear without an import task.
        "BatchImportMetaDataOnCreate": True,
        **({"S3": s3} if s3 else {}),
        "Tags": named(plan, _tail(storage)),
    }
    return cfn.resource("AWS::FSx::DataRepositoryAssociation", properties, after)


def _openzfs(plan: Plan, storage: OpenZfs) -> Part:
    properties = {
        "FileSystemType": "OPENZFS",
        "StorageType": "SSD",
        **present(StorageCapacity=storage.size_gib),
        "OpenZFSConfiguration": {
            "DeploymentType": storage.deployment,
            **present(ThroughputCapacity=storage.throughput),
            "DiskIopsConfiguration": (
                {"Mode": "USER_PROVISIONED", "Iops": storage.iops}
                if storage.iops
                else {"Mode": "AUTOMATIC"}
            ),
            "RootVolumeConfiguration": {
                "DataCompressionType": storage.compression,
                "NfsExports": [{"ClientConfigurations": [_nfs_clients(plan)]}],
            },
            "AutomaticBackupRetentionDays": storage.backup_days or 0,
            "CopyTagsToBackups": True,
            "CopyTagsToVolumes": True,
        },
    }
    name = storage.output
    return Part(
        {name: _fsx(plan, storage, properties)},
        _outputs(
            storage,
            "FSx for OpenZFS",
            ("DnsName", "DNS name", cfn.get_att(name, "DNSName")),
            ("VolumeId", "Root volume", cfn.get_att(name, "RootVolumeId")),
        ),
    )


def _nfs_clients(plan: Plan) -> Json:
    """NFS clients: the VPC, or if its CIDR block is unknown, all that the security group allows.

    Root of a node remains root; otherwise home directories could not be created.
    """
    return {
        "Clients": plan.network.cidr or "*",
        "Options": ["rw", "crossmnt", "sync", "no_root_squash"],
    }


def _efs(plan: Plan, storage: Efs) -> Part:
    properties = {
        "Encrypted": storage.encrypted,
        **present(KmsKeyId=storage.kms_key),
        "PerformanceMode": "generalPurpose",
        "ThroughputMode": storage.throughput_mode,
        **present(ProvisionedThroughputInMibps=storage.throughput),
        **(_one_zone(plan.network.private[0]) if storage.one_zone else {}),
        "BackupPolicy": {"Status": "ENABLED" if storage.backup_days else "DISABLED"},
        "FileSystemPolicy": _tls_only(),
        "FileSystemTags": named(plan, _tail(storage)),
    }
    file_system = cfn.resource("AWS::EFS::FileSystem", properties)
    # The foundation keeps no subnet of system nodes, which cannot be deleted with a mount target.
    targets = {
        f"MountTarget{_name_target(plan, subnet, number)}Of{storage.output}": lasting(
            _mount_target(plan, storage, subnet), storage.retain and subnet in plan.network.private
        )
        for number, subnet in enumerate(_one_per_zone(plan, storage), 1)
    }
    name = storage.output
    host = cfn.sub(f"${{{name}}}.efs.${{AWS::Region}}.${{AWS::URLSuffix}}")
    outputs = _outputs(storage, "EFS", ("DnsName", "DNS name", host))
    if needs_address(plan, storage):
        address = cfn.get_att(f"MountTarget1Of{name}", "IpAddress")
        outputs |= {
            f"{name}Address": Output(f"Address of a mount target of {storage.mount}", address)
        }
    return Part({name: lasting(file_system, storage.retain), **targets}, outputs)


def _name_target(plan: Plan, subnet: Subnet, number: int) -> str:
    """By zone where groups come and go with theirs: EFS rejects a second one in a zone."""
    if subnet not in plan.network.zonal:
        return str(number)
    return zone_stem(subnet.zone or "").removeprefix("PrivateSubnet")


def _mount_target(plan: Plan, storage: Efs, subnet: Subnet) -> Json:
    properties = {
        "FileSystemId": cfn.ref(storage.output),
        "SubnetId": here(subnet.id),
        "SecurityGroups": groups_of(plan, storage),
    }
    return cfn.resource("AWS::EFS::MountTarget", properties)


def _one_per_zone(plan: Plan, storage: Efs) -> list[Subnet]:
    """The subnets of mount targets: one in each zone, or a single one for One Zone storage.

    Pods on system nodes mount file systems too, and the name of a file system resolves only in
    zones with a mount target. EFS rejects a second one in a zone, so the zones must be known.
    https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-mount-cmd-dns-name.html
    """
    places = (*plan.network.private, *plan.network.zonal)
    # System nodes first: a group that gets a zone later does not move the mount target there.
    every = (*plan.network.private, *plan.network.system, *plan.network.zonal)
    known = all(regions.is_zone_id(place.zone or "") for place in every)
    if known and serves(plan, "eks-network"):
        places = every
    first: dict[str | None, Subnet] = {}
    for subnet in places:
        first.setdefault(subnet.zone, subnet)
    subnets = list(first.values())
    return subnets[:1] if storage.one_zone else subnets


def needs_address(plan: Plan, storage: Efs) -> bool:
    """Whether system nodes may be in zones without a mount target, where its name has no address.

    The id of a zone that the spec names differs between accounts, and ``one_zone`` has one target.
    """
    reached = {subnet.zone for subnet in _one_per_zone(plan, storage)}
    beyond = {subnet.zone for subnet in plan.network.system} - reached
    return not storage.existing and serves(plan, "eks-network") and bool(beyond)


def _one_zone(subnet: Subnet) -> Json:
    """The zone name, which EFS requires; a new subnet resolves the name of its zone id."""
    if isinstance(subnet.id, str):
        return {"AvailabilityZoneName": _zone_name(subnet)}
    return {"AvailabilityZoneName": cfn.get_att("PrivateSubnet", "AvailabilityZone")}


def _zone_name(subnet: Subnet) -> Any:
    zone = subnet.zone or ""
    if zone and not regions.is_zone_id(zone):
        return zone
    raise ValueError(
        f"EFS in one zone needs the zone's name; subnet {subnet.id} has {zone or 'none'}"
    )


def _tls_only() -> Json:
    """A policy that lets any client that reaches a mount target mount, over TLS only.

    https://docs.aws.amazon.com/efs/latest/ug/iam-access-control-nfs-efs.html
    """
    mounting = ("ClientMount", "ClientWrite", "ClientRootAccess")
    return iam.document(
        [
            {
                "Sid": "Nodes",
                "Effect": "Allow",
                "Principal": {"AWS": "*"},
                "Action": iam.actions("elasticfilesystem", *mounting),
                "Condition": {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}},
            },
            {
                "Sid": "TlsOnly",
                "Effect": "Deny",
                "Principal": {"AWS": "*"},
                "Action": "*",
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ]
    )


def _tail(storage: Lustre | OpenZfs | Efs) -> str:
    """The end of a Name tag: the mount path with hyphens."""
    return storage.mount.strip("/").replace("/", "-")

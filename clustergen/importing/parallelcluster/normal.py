"""The normal form of a cluster configuration: two with equal object models have the same one.

Keys with their default value, empty sections and scalar spellings make no difference. The structure
comes from the stored schema, the defaults from the constructors of the package's object model.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from clustergen.facts.schemas import Schema
from clustergen.importing.parallelcluster import parts

Json = dict[str, Any]
Default = Any | Callable[[Mapping[str, Any]], Any]
ABSENT: Final = object()

# aws-parallelcluster 3.16.1, pcluster.config.cluster_config and pcluster.constants: the defaults of
# `init_param`, by definition of the schema and key. Read on 2026-11-22.
_EPHEMERAL = "/scratch"
_IOPS: Final = MappingProxyType({"io1": 100, "io2": 100, "gp3": 3000})


def _iops(volume: Mapping[str, Any]) -> Any:
    return _IOPS.get(str(volume.get("VolumeType", "gp3")), ABSENT)


def _throughput(volume: Mapping[str, Any]) -> Any:
    return 125 if volume.get("VolumeType", "gp3") == "gp3" else ABSENT


def _unless(*keys: str, default: Any) -> Callable[[Mapping[str, Any]], Any]:
    return lambda section: ABSENT if any(section.get(key) for key in keys) else default


_VOLUME: Mapping[str, Default] = {
    "Encrypted": True,
    "VolumeType": "gp3",
    "Iops": _iops,
    "Throughput": _throughput,
}
_DEFAULTS: Mapping[str, Mapping[str, Default]] = {
    "Alarms": {"Enabled": True},
    "CloudWatchDashboards": {"Enabled": True},
    "CloudWatchLogs": {"Enabled": True, "RetentionInDays": 180, "DeletionPolicy": "Retain"},
    "ClusterDeploymentSettings": {"DefaultUserHome": "Shared"},
    "ClusterDevSettings": {"ComputeStartupTimeMetricEnabled": False},
    "CommonImds": {"ImdsSupport": "v2.0"},
    "DataRepositoryAssociation": {
        "BatchImportMetaDataOnCreate": False,
        "ImportedFileChunkSize": 1024,
    },
    "Dcv": {"Port": parts.DCV_PORT, "AllowedIps": parts.EVERYONE},
    "DirectoryService": {"LdapTlsReqCert": "hard", "GenerateSshKeysForUsers": True},
    "Dns": {"DisableManagedDns": False, "UseEc2Hostnames": False},
    "EbsSettings": {
        **_VOLUME,
        "Size": _unless("SnapshotId", "VolumeId", default=40),
        "DeletionPolicy": _unless("VolumeId", default="Delete"),
    },
    "Efa": {"Enabled": False, "GdrSupport": False},
    "EfsSettings": {
        "Encrypted": False,
        "PerformanceMode": "generalPurpose",
        "ThroughputMode": "bursting",
        "DeletionPolicy": _unless("FileSystemId", default="Delete"),
        "EncryptionInTransit": False,
        "IamAuthorization": False,
    },
    "ExternalSlurmdbd": {"Port": 6819},
    "FsxLustreSettings": {
        "DeploymentType": _unless("BackupId", "FileSystemId", default="SCRATCH_2"),
        "DeletionPolicy": _unless("FileSystemId", default="Delete"),
    },
    "HeadNode": {"DisableSimultaneousMultithreading": False, "SharedStorageType": "Ebs"},
    "HeadNodeRootVolume": {**_VOLUME, "DeleteOnTermination": True},
    "HeadNodeSsh": {"AllowedIps": parts.EVERYONE},
    "Imds": {"Secured": True},
    "IntelSoftware": {"IntelHpcPlatform": False},
    "LoginNodesPool": {"Count": 1, "GracetimePeriod": 10},
    "Monitoring": {"DetailedMonitoring": False},
    "QueueRootVolume": {**_VOLUME, "DeleteOnTermination": True},
    "Raid": {"NumberOfVolumes": 2},
    "Rotation": {"Enabled": True},
    "S3Access": {"EnableWriteAccess": False},
    "Scheduling": {"ScalingStrategy": "all-or-nothing"},
    "SlurmComputeResource": {
        "MinCount": 0,
        "MaxCount": 10,
        "DisableSimultaneousMultithreading": False,
        "StaticNodePriority": 1,
        "DynamicNodePriority": 1000,
    },
    "SlurmQueue": {
        "CapacityType": "ONDEMAND",
        "JobExclusiveAllocation": False,
        "AllocationStrategy": "lowest-price",
    },
    "SlurmSettings": {
        "ScaledownIdletime": 10,
        "QueueUpdateStrategy": "COMPUTE_FLEET_STOP",
        "EnableMemoryBasedScheduling": False,
    },
    "Timeouts": {
        "HeadNodeBootstrapTimeout": 2100,
        "ComputeNodeBootstrapTimeout": 2100,
        "ComputeInstanceInfoTimeout": 90,
    },
}
_NUMBERS: Final[Mapping[str, Callable[[str], float]]] = {"integer": int, "number": float}
# Sections whose presence means something, whatever is in them.
_PRESENT = frozenset({"EphemeralVolume"})


def normal(configuration: Mapping[str, Any], schema: Schema) -> Json:
    """The normal form of a whole configuration."""
    return parts.without_repetitions(Reader(schema).section(configuration, "Cluster"))


class Reader:
    """Strips a document of what goes without saying, along the schema."""

    def __init__(self, schema: Schema) -> None:
        self._definitions = schema.document()["$defs"]

    def properties(self, name: str) -> Mapping[str, Any]:
        """The schemas of the keys of a section."""
        found: Mapping[str, Any] = self._definitions[name]["properties"]
        return found

    def section(self, value: Mapping[str, Any], name: str) -> Json:
        properties = self.properties(name)
        read = {
            key: self.value(inner, properties.get(key, {}), key)
            for key, inner in value.items()
            if inner is not None
        }
        defaults = _DEFAULTS.get(name, {})
        return {
            key: inner
            for key, inner in read.items()
            if inner != _default(defaults.get(key, ABSENT), read)
            and (inner not in ({}, []) or key in _PRESENT)
        }

    def value(self, value: Any, schema: Mapping[str, Any], key: str = "") -> Any:
        if "$ref" in schema and isinstance(value, Mapping):
            found = self.section(value, schema["$ref"].removeprefix("#/$defs/"))
            return {"MountDir": _EPHEMERAL, **found} if key in _PRESENT else found
        if isinstance(value, list):
            items = schema.get("items", {})
            return [self.value(item, items) for item in value]
        if isinstance(value, Mapping):
            return {str(name): _scalar(inner, {}) for name, inner in value.items()}
        return _scalar(value, schema)


def _default(default: Default, section: Mapping[str, Any]) -> Any:
    return default(section) if callable(default) else default


def _scalar(value: Any, schema: Mapping[str, Any]) -> Any:
    """A scalar in the type of the schema; the service reads ``"3"`` and ``3`` alike."""
    kind = schema.get("type")
    if (number := _NUMBERS.get(str(kind))) and not isinstance(value, bool):
        try:
            return number(str(value))
        except ValueError:
            return value
    if kind == "boolean" and isinstance(value, str):
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        return words.get(value.lower(), value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value

"""What ParallelCluster's validators check of one section, as JSON Schema.

Each entry is in ``pcluster/validators`` or in a ``@validates_schema`` method of 3.16.1. The text in
``title`` says what a value depends on, for the messages about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

Json = dict[str, Any]
Condition = Mapping[str, Sequence[Any] | Json | None]
"""The values that keys have, or their schema; None stands for any."""

TRUE: Final = (True, "true")
FALSE: Final = (False, "false")
"""Of booleans, as YAML has them and as text."""
_FROM_S3: Final = ("ImportPath", "ExportPath", "ImportedFileChunkSize", "AutoImportPolicy")
URL: Final = r"^(https://.+|s3://[^/]+/.+)$"
_OF_SECRETS: Final = r"^arn:[^:]*:secretsmanager:[^:]*:[^:]*:secret:"
_NAME: Final = r"^(?!default$)[a-z][a-z0-9-]{0,24}$"
_STORAGE_NAME: Final = r"^(?!default$)[\w+=._:@/-]{0,30}$"

PATTERNS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        # cluster_validators.NameValidator, SharedStorageNameValidator
        "LoginNodesPool": {"Name": _NAME},
        "SlurmQueue": {"Name": _NAME},
        "SlurmComputeResource": {"Name": _NAME},
        "SharedStorage": {"Name": _STORAGE_NAME},
        "DataRepositoryAssociation": {
            "Name": _STORAGE_NAME,
            "DataRepositoryPath": r"^s3://",
        },
        # s3_validators.UrlValidator
        "ClusterDevSettings": {"ClusterTemplate": URL, "NodePackage": URL},
        "CommonCookbook": {"ChefCookbook": URL},
        "SlurmSettings": {"CustomSlurmSettingsIncludeFile": URL, "MungeKeySecretArn": _OF_SECRETS},
        # secret_validators, directory_service_validators
        "DirectoryService": {
            "DomainName": r"^([\w-]+(\.[\w-]+)*|(DC|dc)=[\w-]+(,(DC|dc)=[\w-]+)*)$",
            "PasswordSecretArn": _OF_SECRETS,
        },
        # iam_validators.IamResourcePrefixValidator: a path, a prefix of names, or both
        "ClusterIam": {"ResourcePrefix": r"^(?!.{513})(/[\w.,+@=/-]+/)?[\w.,+@=-]{0,30}$"},
        # database_validators.DatabaseUriValidator
        "Database": {
            "Uri": r"^(?!/)(?!.*://)[^/:]+(:[0-9]+)?(/.*)?$",
            "PasswordSecretArn": _OF_SECRETS,
        },
    }
)
"""Of texts, by definition and key."""

LIMITS: Final[Mapping[str, Mapping[str, Json]]] = MappingProxyType(
    {
        "LoginNodes": {"Pools": {"maxItems": 10}},
        "SlurmQueueNetworking": {"SubnetIds": {"uniqueItems": True}},
        "FsxLustreSettings": {"DataRepositoryAssociations": {"maxItems": 8}},
        "SlurmComputeResource": {"SchedulableMemory": {"minimum": 1}},
        # feature_validators: the only system that had it is no longer supported
        "IntelSoftware": {"IntelHpcPlatform": {"enum": list(FALSE)}},
    }
)
"""Of other values, by definition and key."""


def when(
    condition: Condition, needs: Condition = MappingProxyType({}), rejects: Sequence[str] = ()
) -> Json:
    """What a section with the values of ``condition`` has to have, or cannot have."""
    comment = " and ".join(_said(key, values) for key, values in condition.items())
    then: Json = {"title": comment}
    if needs:
        then["required"] = list(needs)
        then["properties"] = {
            key: {**wanted, "title": comment} for key, wanted in _schemas(needs).items()
        }
    if rejects:
        then["not"] = {"anyOf": [{"required": [key]} for key in rejects]}
    return {"if": _has(condition), "then": then}


def _has(condition: Condition) -> Json:
    schemas = _schemas(condition)
    return {"required": list(condition), **({"properties": schemas} if schemas else {})}


def _schemas(values: Condition) -> dict[str, Json]:
    """The schema of each key that has one."""
    return {
        key: each if isinstance(each, dict) else {"enum": list(each)}
        for key, each in values.items()
        if each
    }


def _said(key: str, values: Sequence[Any] | Json | None) -> str:
    return f"{key}: {values[-1]}" if values and not isinstance(values, dict) else key


def _each(keys: Sequence[str], **parts: Any) -> list[Json]:
    return [when({key: None}, **parts) for key in keys]


_FILTERED: Final[Condition] = MappingProxyType({"LdapAccessFilter": None})


def _sssd(setting: str, condition: Condition) -> Json:
    """A setting of SSSD that has to be ldap."""
    comment = " and ".join(condition)
    wanted = {"enum": ["ldap"], "title": comment} if comment else {"enum": ["ldap"]}
    properties = {"AdditionalSssdConfigs": {"properties": {setting: wanted}}}
    return {"if": _has(condition), "then": {"properties": properties}}


def _allocation(capacity: str, *strategies: str) -> Json:
    """The strategies of a queue whose compute resources have several instance types."""
    several = {"contains": {"required": ["Instances"]}}
    market: Json = {"enum": [capacity]}
    condition = {"properties": {"CapacityType": market, "ComputeResources": several}}
    # Without a type, capacity is on demand.
    known = {} if capacity == "ONDEMAND" else {"required": ["CapacityType"]}
    comment = f"CapacityType: {capacity}"
    wanted: Json = {"properties": {"AllocationStrategy": {"enum": list(strategies)}}}
    if not strategies:
        wanted = {"not": {"anyOf": [{"required": ["AllocationStrategy"]}]}}
    else:
        wanted["properties"]["AllocationStrategy"]["title"] = comment
    return {"if": condition | known, "then": {"title": comment, **wanted}}


def _magnetic() -> Json:
    """ebs_validators: the one type of volume that no field of a spec has."""
    then = when({"VolumeType": ("standard",)}, rejects=["Iops", "Throughput"])
    then["then"]["properties"] = {"Size": {"minimum": 1, "maximum": 1024}}
    return then


CHECKS: Final[Mapping[str, Sequence[Json]]] = MappingProxyType(
    {
        # efs_validators, kms_validators, cluster_schema.EfsSettingsSchema
        "EfsSettings": [
            when({"AccessPointId": None}, {"FileSystemId": None, "EncryptionInTransit": TRUE}),
            when({"IamAuthorization": TRUE}, {"EncryptionInTransit": TRUE}),
            when({"KmsKeyId": None}, {"Encrypted": TRUE}),
            when({"ProvisionedThroughput": None}, {"ThroughputMode": ("provisioned",)}),
            when({"ThroughputMode": ("provisioned",)}, {"ProvisionedThroughput": None}),
        ],
        "EbsSettings": [when({"Encrypted": FALSE}, rejects=["KmsKeyId"]), _magnetic()],
        # fsx_validators, cluster_schema.FsxLustreSettingsSchema
        "FsxLustreSettings": [
            *_each(_FROM_S3[1:], needs={"ImportPath": None}),
            *_each(["DataRepositoryAssociations"], rejects=["ImportPath", "ExportPath"]),
            *(
                when({"DeploymentType": (each,)}, {"PerUnitStorageThroughput": None})
                for each in ("PERSISTENT_1", "PERSISTENT_2")
            ),
            *_each(
                ["DailyAutomaticBackupStartTime", "CopyTagsToBackups"],
                needs={"AutomaticBackupRetentionDays": {"minimum": 1}},
            ),
            when({"AutomaticBackupRetentionDays": {"minimum": 1}}, rejects=_FROM_S3),
            *_each(
                ["BackupId"],
                rejects=[
                    "DeploymentType",
                    "PerUnitStorageThroughput",
                    "StorageCapacity",
                    "ImportPath",
                    "ExportPath",
                    "ImportedFileChunkSize",
                    "KmsKeyId",
                ],
            ),
            {
                "anyOf": [
                    {"required": [key]} for key in ("StorageCapacity", "FileSystemId", "BackupId")
                ]
            },
        ],
        # directory_service_validators.AdditionalSssdConfigsValidator
        "DirectoryService": [_sssd("id_provider", {}), _sssd("access_provider", _FILTERED)],
        "SharedStorage": [when({"StorageType": ("FsxLustre",)}, {"FsxLustreSettings": None})],
        # ec2_validators, instances_validators
        "PlacementGroup": [
            when({"Id": None}, rejects=["Name"]),
            when({"Enabled": FALSE}, rejects=["Id", "Name"]),
        ],
        "SlurmQueue": [
            _allocation("ONDEMAND", "lowest-price", "prioritized"),
            _allocation(
                "SPOT",
                "lowest-price",
                "capacity-optimized",
                "price-capacity-optimized",
                "capacity-optimized-prioritized",
            ),
            _allocation("CAPACITY_BLOCK"),
        ],
        "Efa": [when({"GdrSupport": TRUE}, {"Enabled": TRUE})],
        "HeadNode": [
            when({"SharedStorageEfsSettings": None}, {"SharedStorageType": ("Efs",)}),
        ],
        # slurm_settings_validator, cluster_validators
        "SlurmSettings": [
            when({"CustomSlurmSettingsIncludeFile": None}, rejects=["CustomSlurmSettings"]),
            when({"ExternalSlurmdbd": None}, {"MungeKeySecretArn": None}, ["Database"]),
        ],
    }
)
"""By definition."""

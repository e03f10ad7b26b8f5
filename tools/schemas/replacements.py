"""Properties whose change makes CloudFormation replace a resource."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any

from tools.schemas.cloudformation import BATCH_TYPES, EKS_TYPES, PCS_TYPES
from tools.schemas.shared import BOTOCORE, CFN_LINT, Json, installed

OTHER_TYPES = (
    "AWS::APS::RuleGroupsNamespace",
    "AWS::EC2::EIP",
    "AWS::EC2::InternetGateway",
    "AWS::EC2::NatGateway",
    "AWS::EC2::Route",
    "AWS::EC2::RouteTable",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCEndpoint",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EFS::FileSystem",
    "AWS::EFS::MountTarget",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SageMaker::Cluster",
    "AWS::SageMaker::ClusterSchedulerConfig",
    "AWS::SageMaker::ComputeQuota",
)


_FILE_SYSTEM = "AWS::FSx::FileSystem"


_REJECTED = "DriveCacheType"
"""CloudFormation does not replace a file system for it, and no API changes it."""


def cloudformation_updates() -> Json:
    """By type, the properties whose change needs another resource; nested ones are dotted."""
    manager = importlib.import_module("cfnlint.schema.manager").PROVIDER_SCHEMA_MANAGER
    fixed: dict[str, list[str]] = {}
    for type in sorted({*BATCH_TYPES, *PCS_TYPES, *EKS_TYPES, *OTHER_TYPES}):
        schema = manager.get_resource_schema("us-east-1", type).schema
        fixed[type] = [_dotted(each) for each in schema.get("createOnlyProperties", ())]
        if type == _FILE_SYSTEM:
            fixed[type] += _fixed_of_file_systems(schema)
    sources = (installed("cfn-lint", CFN_LINT), installed("botocore", BOTOCORE))
    return {
        "$comment": f"createOnlyProperties in {sources[0]}, data/schemas/providers, us-east-1; "
        f"nested ones of FSx: members of CreateFileSystem, not of UpdateFileSystem, {sources[1]}",
        "$defs": {type: sorted(set(paths)) for type, paths in fixed.items()},
    }


def _dotted(pointer: str) -> str:
    return pointer.removeprefix("/properties/").replace("/", ".")


def _fixed_of_file_systems(schema: Mapping[str, Any]) -> Iterator[str]:
    """What the schema lacks: nested members that no API call can change.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-fsx-filesystem.html
    also has StorageType and FileSystemTypeVersion as replacements, which the API can update.
    """
    loader = importlib.import_module("botocore.loaders").Loader()
    shapes = loader.load_service_model("fsx", "service-2")["shapes"]
    for section in ("LustreConfiguration", "OpenZFSConfiguration"):
        created = shapes[f"CreateFileSystem{section}"]["members"]
        updated = shapes[f"UpdateFileSystem{section}"]["members"]
        known = schema["definitions"][section]["properties"]
        fixed = (name for name in created if name not in {*updated, _REJECTED})
        yield from (f"{section}.{name}" for name in fixed if name in known)
    yield from ("StorageType", "FileSystemTypeVersion")

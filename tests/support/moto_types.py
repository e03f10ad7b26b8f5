"""Resource types of CloudFormation that moto lacks, taught to it by recording them.

moto leaves out what it does not know and calls the stack complete. Here such a resource keeps the
properties that it was given, with every reference resolved, and answers `Ref` and `Fn::GetAtt` as
the service would (tests.validators.cloudformation.attributes).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from moto.cloudformation import parsing
from moto.core.common_models import CloudFormationModel
from moto.eks.models import eks_backends
from moto.s3.models import s3_backends

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from tests.validators.cloudformation.attributes import Place, attribute_value, ref_value

RECORDED_TYPES = (
    *words("""
        AWS::APS::RuleGroupsNamespace AWS::APS::Scraper AWS::APS::Workspace AWS::Grafana::Workspace
        AWS::EC2::PlacementGroup AWS::EC2::SecurityGroupEgress AWS::FSx::DataRepositoryAssociation
        AWS::FSx::FileSystem AWS::FSx::StorageVirtualMachine AWS::FSx::Volume AWS::Logs::Delivery
        AWS::Logs::DeliveryDestination AWS::Logs::DeliverySource AWS::PCS::Cluster
        AWS::PCS::ComputeNodeGroup AWS::PCS::Queue AWS::S3::BucketPolicy AWS::SageMaker::Cluster
        AWS::SQS::QueuePolicy AWS::SageMaker::ClusterSchedulerConfig AWS::SageMaker::ComputeQuota
    """),
    # moto has these, and asks for members that CloudFormation does not.
    *words("""
        AWS::Batch::ComputeEnvironment AWS::Batch::JobQueue AWS::Batch::SchedulingPolicy
        AWS::CloudWatch::Dashboard AWS::EKS::AccessEntry AWS::EKS::Addon
        AWS::EKS::PodIdentityAssociation
    """),
    # moto has it, and asks for a policy where CloudFormation does not.
    "AWS::KMS::Key",
    # moto has it, and does not know the security group of an EKS cluster.
    "AWS::EC2::SecurityGroupIngress",
)

_NAME_PROPERTIES = {"AWS::SageMaker::Cluster": "ClusterName", "AWS::S3::BucketPolicy": "Bucket"}


class Recorded:
    """One resource as it is now."""

    def __init__(self, type: str, logical_id: str, stack_id: str, region: str, given: Json) -> None:
        self.type, self.logical_id, self.stack_id, self.region = type, logical_id, stack_id, region
        self.properties = given
        self.deleted = False

    @property
    def stack(self) -> str:
        """The name of its stack."""
        return self.stack_id.split("/")[1]

    def is_same(self, other: Recorded) -> bool:
        return (self.stack_id, self.logical_id) == (other.stack_id, other.logical_id)

    @property
    def name(self) -> str | None:
        return self.properties.get(_NAME_PROPERTIES.get(self.type, "Name"))

    def ref(self) -> str:
        if self.type in _OTHERS:
            return f"{self.stack}-{self.logical_id}"
        return ref_value(self.type, self.logical_id, self.name, Place(self.region, self.stack))

    def attribute(self, name: str) -> str:
        if self.type in _OTHERS:
            return f"{name} of {self.logical_id}"
        place = Place(self.region, self.stack)
        return attribute_value(self.type, self.logical_id, name, self.name, place)


RECORDS: list[Recorded] = []
"""Every resource of these types that any stack has made."""


def recorded(stack: str, type: str | None = None) -> dict[str, Recorded]:
    """What there is of a stack, by logical id."""
    return {
        record.logical_id: record
        for record in RECORDS
        if record.stack == stack and not record.deleted and type in (None, record.type)
    }


Made = Callable[[Recorded], None]


def _nothing(record: Recorded) -> None:
    """For resources of which the record is all."""


def model(type: str, made: Made = _nothing, gone: Made = _nothing) -> Any:
    """A class that moto makes resources of `type` with.

    `made` runs after each is made or changed, `gone` after it is deleted.
    """

    class Model(CloudFormationModel):
        __module__ = "moto.recorded.types"  # the second word is moto's name of the service

        def __init__(self, record: Recorded) -> None:
            self.record = record

        @staticmethod
        def cloudformation_type() -> str:
            return type

        @staticmethod
        def cloudformation_name_type() -> str:
            return ""

        @classmethod
        def has_cfn_attr(cls, attr: str) -> bool:
            return True

        @classmethod
        def create_from_cloudformation_json(
            cls,
            resource_name: str,
            cloudformation_json: Json,
            account_id: str,
            region_name: str,
            **kwargs: Any,
        ) -> Any:
            given = cloudformation_json.get("Properties", {})
            record = Recorded(type, kwargs["LogicalId"], kwargs["StackId"], region_name, given)
            # moto makes what a deleted stack exports again, to read its exports: not for us.
            if not any(each.is_same(record) for each in RECORDS):
                made(record)
                RECORDS.append(record)
            return cls(record)

        @classmethod
        def update_from_cloudformation_json(
            cls,
            original_resource: Any,
            new_resource_name: str,
            cloudformation_json: Json,
            account_id: str,
            region_name: str,
        ) -> Any:
            original_resource.record.properties = cloudformation_json.get("Properties", {})
            made(original_resource.record)
            return original_resource

        def delete(self, account_id: str, region_name: str) -> None:
            self.record.deleted = True
            gone(self.record)

        @property
        def physical_resource_id(self) -> str:
            return self.record.ref()

        def get_cfn_attribute(self, attribute: str) -> Any:
            return self.record.attribute(attribute)

        def is_created(self) -> bool:
            return True

    return Model


def _copied(record: Recorded) -> None:
    """What CDK's function does for a BucketDeployment: unpack assets into a bucket."""
    properties = record.properties
    assets = list(zip(properties["SourceBucketNames"], properties["SourceObjectKeys"], strict=True))
    sources = zip(assets, properties.get("SourceMarkers") or [{}] * len(assets), strict=True)
    backend = s3_backends["123456789012"]["aws"]
    for (bucket, key), markers in sources:
        asset = backend.get_object(bucket, key)
        assert asset is not None, key
        for name, content in _unpacked(asset.value):
            text = content
            for marker, value in markers.items():
                text = text.replace(marker.encode(), value.encode())
            backend.put_object(properties["DestinationBucketName"], name, text)


def _unpacked(archive: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for name in opened.namelist():
            if not name.endswith("/"):
                yield name, opened.read(name)


def _eks(record: Recorded) -> Any:
    return eks_backends["123456789012"][record.region]


def _cluster_made(record: Recorded) -> None:
    properties = record.properties
    vpc = properties["ResourcesVpcConfig"]
    _eks(record).create_cluster(
        properties["Name"],
        properties["RoleArn"],
        {"subnetIds": vpc["SubnetIds"], "securityGroupIds": vpc.get("SecurityGroupIds", [])},
        properties["Version"],
    )


def _cluster_gone(record: Recorded) -> None:
    _eks(record).delete_cluster(record.properties["Name"])


def _node_group_made(record: Recorded) -> None:
    properties = record.properties
    scaling = {
        key[0].lower() + key[1:]: properties["ScalingConfig"][key]
        for key in properties["ScalingConfig"]
    }
    template = {key.lower(): value for key, value in properties["LaunchTemplate"].items()}
    _eks(record).create_nodegroup(
        properties["ClusterName"],
        properties["NodeRole"],
        properties["NodegroupName"],
        properties["Subnets"],
        scaling_config=scaling,
        instance_types=properties.get("InstanceTypes"),
        ami_type=properties.get("AmiType"),
        labels=properties.get("Labels"),
        taints=properties.get("Taints"),
        launch_template=template,
        capacity_type=properties.get("CapacityType"),
    )


def _node_group_gone(record: Recorded) -> None:
    properties = record.properties
    _eks(record).delete_nodegroup(properties["ClusterName"], properties["NodegroupName"])


_MODELS = {type: model(type) for type in RECORDED_TYPES} | {
    "AWS::EKS::Cluster": model("AWS::EKS::Cluster", _cluster_made, _cluster_gone),
    "AWS::EKS::Nodegroup": model("AWS::EKS::Nodegroup", _node_group_made, _node_group_gone),
}
# What is not a service's: the answers have no form of their own.
_OTHERS = {
    # A nested stack; moto's own has no attributes.
    "AWS::CloudFormation::Stack": model("AWS::CloudFormation::Stack"),
    "Custom::CDKBucketDeployment": model("Custom::CDKBucketDeployment", _copied),
    "Custom::PclusterCluster": model("Custom::PclusterCluster"),
}


def teach() -> None:
    """Let moto know the types of this module."""
    known = parsing.resource_class_from_type

    def resource_class(resource_type: str) -> Any:
        return _OTHERS.get(resource_type) or _MODELS.get(resource_type) or known(resource_type)

    parsing.resource_class_from_type = resource_class
    _teach_retention()


def _teach_retention() -> None:
    """Let a deletion keep what says `RetainExceptOnCreate`: moto knows `Retain` alone."""
    delete = parsing.ResourceMap.delete
    if getattr(delete, "keeps", False):
        return

    def keeping(this: Any) -> None:
        for resource in this._resource_json_map.values():
            if resource.get("DeletionPolicy") == "RetainExceptOnCreate":
                resource["DeletionPolicy"] = "Retain"
        delete(this)

    keeping.keeps = True  # type: ignore[attr-defined]
    parsing.ResourceMap.delete = keeping  # type: ignore[method-assign, assignment]


def knows(type: str) -> bool:
    """Whether resources of a type are recorded here."""
    return type in _MODELS or type in _OTHERS

"""The API requests that the resources of a template imply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clustergen.words import words
from tests.oracles.cloudformation.conversion import Renames, tags_as_map, to_parameters
from tests.oracles.cloudformation.intrinsics import Resource, resolve
from tests.oracles.cloudformation.security_groups import egress_rule, ingress_rule, rules_of_group

Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One call: botocore's service and operation, and the resource that causes it."""

    service: str
    operation: str
    params: dict[str, Any]
    logical_id: str


def requests(template: Mapping[str, Any], region: str = "us-east-1") -> list[Request]:
    """Every request that deploying `template` makes, in its order; unknown types make none."""
    return [r for resource in resolve(template, region=region) for r in requests_of(resource)]


def unknown_types(template: Mapping[str, Any]) -> set[str]:
    """The resource types of `template` that this validator knows no request for."""
    bodies = template.get("Resources", {}).values()
    return {body["Type"] for body in bodies} - KNOWN_TYPES


def requests_of(resource: Resource) -> Iterator[Request]:
    """The requests of one resolved resource."""
    if creation := _CREATIONS.get(resource.type):
        yield creation.request(resource)
    for service, operation, params in _further(resource):
        yield Request(service, operation, params, resource.logical_id)


@dataclass(frozen=True, slots=True)
class _Creation:
    """How a resource type becomes the request that creates it.

    `generated` holds members that CloudFormation fills in when the template does not, `elsewhere`
    the properties that other requests carry. Tags become EC2's tag specification of the kind
    `tag_specification`, or a map, or stay a list.
    """

    service: str
    operation: str
    renames: Renames = field(default_factory=dict)
    generated: Mapping[str, str] = field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()
    tag_specification: str = ""
    tags_as_map: bool = False

    def request(self, resource: Resource) -> Request:
        """The creating request of `resource`."""
        kept = {k: v for k, v in resource.properties.items() if k not in self.elsewhere}
        params = to_parameters(self.service, self.operation, self._tagged(kept), self.renames)
        params = {**self.generated, **params}
        return Request(self.service, self.operation, params, resource.logical_id)

    def _tagged(self, properties: Properties) -> Properties:
        if "Tags" not in properties:
            return properties
        rest = {k: v for k, v in properties.items() if k != "Tags"}
        if self.tag_specification:
            of_kind = {"ResourceType": self.tag_specification, "Tags": properties["Tags"]}
            return {**rest, "TagSpecifications": [of_kind]}
        if self.tags_as_map:
            return {**rest, "Tags": tags_as_map(properties["Tags"])}
        return properties


def _ec2(operation: str, kind: str, **more: Any) -> _Creation:
    return _Creation("ec2", operation, tag_specification=kind, **more)


# Property names that differ from the API's, by resource type: the "Properties" of each type's page
# in the CloudFormation reference against the request parameters of the API reference (2026-11-20).
_CREATIONS: dict[str, _Creation] = {
    "AWS::APS::Scraper": _Creation("amp", "CreateScraper", tags_as_map=True),
    "AWS::APS::Workspace": _Creation(
        "amp",
        "CreateWorkspace",
        tags_as_map=True,
        elsewhere=words("""
            AlertManagerDefinition LoggingConfiguration QueryLoggingConfiguration
            WorkspaceConfiguration
        """),
    ),
    "AWS::Batch::ComputeEnvironment": _Creation(
        "batch",
        "CreateComputeEnvironment",
        generated={"computeEnvironmentName": "generated"},
        elsewhere=("ReplaceComputeEnvironment", "UpdatePolicy"),
    ),
    "AWS::Batch::JobDefinition": _Creation(
        "batch", "RegisterJobDefinition", generated={"jobDefinitionName": "generated"}
    ),
    "AWS::Batch::JobQueue": _Creation(
        "batch", "CreateJobQueue", generated={"jobQueueName": "generated"}
    ),
    "AWS::Batch::SchedulingPolicy": _Creation(
        "batch", "CreateSchedulingPolicy", generated={"name": "generated"}
    ),
    "AWS::CloudWatch::Alarm": _Creation(
        "cloudwatch", "PutMetricAlarm", generated={"AlarmName": "generated"}
    ),
    "AWS::CloudWatch::Dashboard": _Creation(
        "cloudwatch", "PutDashboard", generated={"DashboardName": "generated"}
    ),
    "AWS::EC2::EIP": _ec2("AllocateAddress", "elastic-ip"),
    "AWS::EC2::InternetGateway": _ec2("CreateInternetGateway", "internet-gateway"),
    "AWS::EC2::LaunchTemplate": _Creation(
        "ec2", "CreateLaunchTemplate", generated={"LaunchTemplateName": "generated"}
    ),
    "AWS::EC2::NatGateway": _ec2("CreateNatGateway", "natgateway"),
    "AWS::EC2::PlacementGroup": _ec2(
        "CreatePlacementGroup", "placement-group", generated={"GroupName": "generated"}
    ),
    "AWS::EC2::Route": _Creation("ec2", "CreateRoute"),
    "AWS::EC2::RouteTable": _ec2("CreateRouteTable", "route-table"),
    "AWS::EC2::SecurityGroup": _ec2(
        "CreateSecurityGroup",
        "security-group",
        renames={"GroupDescription": "Description"},
        generated={"GroupName": "generated"},
        elsewhere=("SecurityGroupIngress", "SecurityGroupEgress"),
    ),
    "AWS::EC2::Subnet": _ec2("CreateSubnet", "subnet", elsewhere=("MapPublicIpOnLaunch",)),
    "AWS::EC2::SubnetRouteTableAssociation": _Creation("ec2", "AssociateRouteTable"),
    "AWS::EC2::VPC": _ec2("CreateVpc", "vpc", elsewhere=("EnableDnsHostnames", "EnableDnsSupport")),
    "AWS::EC2::VPCEndpoint": _ec2("CreateVpcEndpoint", "vpc-endpoint"),
    "AWS::EC2::VPCGatewayAttachment": _Creation("ec2", "AttachInternetGateway"),
    "AWS::EC2::Volume": _ec2("CreateVolume", "volume"),
    "AWS::EFS::AccessPoint": _Creation(
        "efs",
        "CreateAccessPoint",
        renames={"AccessPointTags": "Tags"},
        generated={"ClientToken": "generated"},
    ),
    "AWS::EFS::FileSystem": _Creation(
        "efs",
        "CreateFileSystem",
        renames={"FileSystemTags": "Tags"},
        generated={"CreationToken": "generated"},
        elsewhere=("BackupPolicy", "FileSystemPolicy", "FileSystemProtection", "LifecyclePolicies"),
    ),
    "AWS::EFS::MountTarget": _Creation("efs", "CreateMountTarget"),
    "AWS::EKS::AccessEntry": _Creation(
        "eks", "CreateAccessEntry", tags_as_map=True, elsewhere=("AccessPolicies",)
    ),
    "AWS::EKS::Addon": _Creation(
        "eks", "CreateAddon", tags_as_map=True, elsewhere=("PreserveOnDelete",)
    ),
    "AWS::EKS::Cluster": _Creation(
        "eks", "CreateCluster", tags_as_map=True, elsewhere=("Logging", "Force")
    ),
    "AWS::EKS::Nodegroup": _Creation(
        "eks",
        "CreateNodegroup",
        generated={"nodegroupName": "generated"},
        elsewhere=("ForceUpdateEnabled",),
    ),
    "AWS::EKS::PodIdentityAssociation": _Creation(
        "eks", "CreatePodIdentityAssociation", tags_as_map=True
    ),
    "AWS::Events::Rule": _Creation(
        "events", "PutRule", generated={"Name": "generated"}, elsewhere=("Targets",)
    ),
    "AWS::FSx::DataRepositoryAssociation": _Creation("fsx", "CreateDataRepositoryAssociation"),
    "AWS::FSx::FileSystem": _Creation("fsx", "CreateFileSystem"),
    "AWS::FSx::StorageVirtualMachine": _Creation("fsx", "CreateStorageVirtualMachine"),
    "AWS::FSx::Volume": _Creation("fsx", "CreateVolume"),
    "AWS::Grafana::Workspace": _Creation(
        "grafana",
        "CreateWorkspace",
        renames={
            "DataSources": "workspaceDataSources",
            "Name": "workspaceName",
            "NotificationDestinations": "workspaceNotificationDestinations",
            "RoleArn": "workspaceRoleArn",
        },
        elsewhere=("PluginAdminEnabled",),
    ),
    "AWS::IAM::InstanceProfile": _Creation(
        "iam",
        "CreateInstanceProfile",
        generated={"InstanceProfileName": "generated"},
        elsewhere=("Roles",),
    ),
    "AWS::IAM::ManagedPolicy": _Creation(
        "iam",
        "CreatePolicy",
        renames={"ManagedPolicyName": "PolicyName"},
        generated={"PolicyName": "generated"},
        elsewhere=("Groups", "Roles", "Users"),
    ),
    "AWS::IAM::Role": _Creation(
        "iam",
        "CreateRole",
        generated={"RoleName": "generated"},
        elsewhere=("ManagedPolicyArns", "Policies"),
    ),
    "AWS::KMS::Key": _Creation(
        "kms",
        "CreateKey",
        renames={"KeyPolicy": "Policy", "Tags.Key": "TagKey", "Tags.Value": "TagValue"},
        elsewhere=("EnableKeyRotation", "RotationPeriodInDays", "PendingWindowInDays"),
    ),
    "AWS::Logs::Delivery": _Creation("logs", "CreateDelivery", tags_as_map=True),
    "AWS::Logs::DeliverySource": _Creation("logs", "PutDeliverySource", tags_as_map=True),
    "AWS::Logs::LogGroup": _Creation(
        "logs",
        "CreateLogGroup",
        tags_as_map=True,
        generated={"logGroupName": "generated"},
        elsewhere=("RetentionInDays",),
    ),
    "AWS::PCS::Cluster": _Creation(
        "pcs",
        "CreateCluster",
        renames={"Name": "clusterName"},
        generated={"clusterName": "generated"},
    ),
    "AWS::PCS::ComputeNodeGroup": _Creation(
        "pcs",
        "CreateComputeNodeGroup",
        renames={
            "ClusterId": "clusterIdentifier",
            "CustomLaunchTemplate.TemplateId": "id",
            "Name": "computeNodeGroupName",
        },
        generated={"computeNodeGroupName": "generated"},
    ),
    "AWS::PCS::Queue": _Creation(
        "pcs",
        "CreateQueue",
        renames={"ClusterId": "clusterIdentifier", "Name": "queueName"},
        generated={"queueName": "generated"},
    ),
    "AWS::SageMaker::Cluster": _Creation(
        "sagemaker", "CreateCluster", generated={"ClusterName": "generated"}
    ),
    "AWS::SageMaker::ClusterSchedulerConfig": _Creation(
        "sagemaker", "CreateClusterSchedulerConfig"
    ),
    "AWS::SageMaker::ComputeQuota": _Creation("sagemaker", "CreateComputeQuota"),
    "AWS::SNS::Subscription": _Creation("sns", "Subscribe"),
    "AWS::SNS::Topic": _Creation("sns", "CreateTopic", generated={"Name": "generated"}),
}


def _further(resource: Resource) -> Iterable[tuple[str, str, Properties]]:
    """The requests that follow, or stand for, the creation: service, operation, parameters."""
    further = _FURTHER.get(resource.type)
    return further(resource.properties) if further else ()


_Calls = Iterator[tuple[str, str, Properties]]


def _attributes_of_vpc(properties: Properties) -> _Calls:
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        if name in properties:
            params = {"VpcId": "vpc-0a1b2c3d", name: {"Value": properties[name]}}
            yield "ec2", "ModifyVpcAttribute", params


def _attributes_of_subnet(properties: Properties) -> _Calls:
    if "MapPublicIpOnLaunch" in properties:
        value = {"Value": properties["MapPublicIpOnLaunch"]}
        params = {"SubnetId": "subnet-0a1b2c3d", "MapPublicIpOnLaunch": value}
        yield "ec2", "ModifySubnetAttribute", params


def _settings_of_efs(properties: Properties) -> _Calls:
    for name, operation in (
        ("LifecyclePolicies", "PutLifecycleConfiguration"),
        ("BackupPolicy", "PutBackupPolicy"),
    ):
        if name in properties:
            yield "efs", operation, {"FileSystemId": "fs-0a1b2c3d", name: properties[name]}


def _policies_of_entry(properties: Properties) -> _Calls:
    keys = ("ClusterName", "PrincipalArn")
    named: dict[str, Any] = {key: properties[key] for key in keys if key in properties}
    for policy in properties.get("AccessPolicies", []):
        params = to_parameters("eks", "AssociateAccessPolicy", {**named, **policy}, {})
        yield "eks", "AssociateAccessPolicy", params


def _logs_of_cluster(properties: Properties) -> _Calls:
    """CloudFormation lists the types; the API groups them by whether they are on."""
    logging = properties.get("Logging", {}).get("ClusterLogging", {})
    if "EnabledTypes" in logging:
        types = [entry["Type"] for entry in logging["EnabledTypes"]]
        on = {"clusterLogging": [{"types": types, "enabled": True}]}
        params = {"name": properties.get("Name", "generated"), "logging": on}
        yield "eks", "UpdateClusterConfig", params


def _targets_of_rule(properties: Properties) -> _Calls:
    if "Targets" in properties:
        params = {"Rule": properties.get("Name", "generated"), "Targets": properties["Targets"]}
        yield "events", "PutTargets", params


# Attributes of a queue are a map of text to the API, and the policy is one of them.
_OF_QUEUES = ("QueueName", "Tags")


def _queue(properties: Properties) -> _Calls:
    attributes = {k: _text(v) for k, v in properties.items() if k not in _OF_QUEUES}
    params = {"QueueName": properties.get("QueueName", "generated"), "Attributes": attributes}
    yield "sqs", "CreateQueue", params


def _queue_policy(properties: Properties) -> _Calls:
    for queue in properties.get("Queues", []):
        policy = {"Policy": json.dumps(properties.get("PolicyDocument"))}
        yield "sqs", "SetQueueAttributes", {"QueueUrl": queue, "Attributes": policy}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _parts_of_workspace(properties: Properties) -> _Calls:
    workspace = {"workspaceId": "ws-0a1b2c3d"}
    if "AlertManagerDefinition" in properties:
        data = properties["AlertManagerDefinition"].encode()
        yield "amp", "CreateAlertManagerDefinition", {**workspace, "data": data}
    if "LoggingConfiguration" in properties:
        group = properties["LoggingConfiguration"]["LogGroupArn"]
        yield "amp", "CreateLoggingConfiguration", {**workspace, "logGroupArn": group}


def _rule_groups(properties: Properties) -> _Calls:
    """The template has the workspace's ARN and text, the API its id and bytes."""
    params = {
        "workspaceId": properties["Workspace"].rpartition("/")[2],
        "name": properties["Name"],
        "data": properties["Data"].encode(),
    }
    yield "amp", "CreateRuleGroupsNamespace", params


def _topic_policy(properties: Properties) -> _Calls:
    for topic in properties.get("Topics", []):
        policy = json.dumps(properties.get("PolicyDocument"))
        params = {"TopicArn": topic, "AttributeName": "Policy", "AttributeValue": policy}
        yield "sns", "SetTopicAttributes", params


def _policies_of_role(properties: Properties) -> _Calls:
    role = properties.get("RoleName", "generated")
    for arn in properties.get("ManagedPolicyArns", []):
        yield "iam", "AttachRolePolicy", {"RoleName": role, "PolicyArn": arn}
    for policy in properties.get("Policies", []):
        yield "iam", "PutRolePolicy", _inline_policy(role, policy)


def _policy_of_roles(properties: Properties) -> _Calls:
    for role in properties.get("Roles", []):
        yield "iam", "PutRolePolicy", _inline_policy(role, properties)


def _inline_policy(role: str, policy: Properties) -> Properties:
    named = {key: policy[key] for key in policy if key in ("PolicyName", "PolicyDocument")}
    return {"RoleName": role, **to_parameters("iam", "PutRolePolicy", named, {})}


def _role_of_profile(properties: Properties) -> _Calls:
    profile = properties.get("InstanceProfileName", "generated")
    for role in properties.get("Roles", []):
        params = {"InstanceProfileName": profile, "RoleName": role}
        yield "iam", "AddRoleToInstanceProfile", params


def _bucket(properties: Properties) -> _Calls:
    if "BucketName" in properties:
        yield "s3", "CreateBucket", {"Bucket": properties["BucketName"]}


def _bucket_policy(properties: Properties) -> _Calls:
    yield (
        "s3",
        "PutBucketPolicy",
        to_parameters("s3", "PutBucketPolicy", properties, {"PolicyDocument": "Policy"}),
    )


def _retention(properties: Properties) -> _Calls:
    if "RetentionInDays" in properties:
        name = properties.get("LogGroupName", "generated")
        params = {"logGroupName": name, "retentionInDays": properties["RetentionInDays"]}
        yield "logs", "PutRetentionPolicy", params


def _delivery_destination(properties: Properties) -> _Calls:
    """The one type whose flat property is nested in the request."""
    tags = {"Tags": tags_as_map(properties["Tags"])} if "Tags" in properties else {}
    nested = {"destinationResourceArn": properties.get("DestinationResourceArn")}
    flat = {**{k: v for k, v in properties.items() if k != "DestinationResourceArn"}, **tags}
    params = to_parameters("logs", "PutDeliveryDestination", flat, {})
    yield (
        "logs",
        "PutDeliveryDestination",
        {
            **params,
            "deliveryDestinationConfiguration": nested,
        },
    )


_FURTHER = {
    "AWS::APS::RuleGroupsNamespace": _rule_groups,
    "AWS::APS::Workspace": _parts_of_workspace,
    "AWS::EC2::SecurityGroup": rules_of_group,
    "AWS::EC2::SecurityGroupEgress": egress_rule,
    "AWS::EC2::SecurityGroupIngress": ingress_rule,
    "AWS::EC2::Subnet": _attributes_of_subnet,
    "AWS::EC2::VPC": _attributes_of_vpc,
    "AWS::EFS::FileSystem": _settings_of_efs,
    "AWS::EKS::AccessEntry": _policies_of_entry,
    "AWS::EKS::Cluster": _logs_of_cluster,
    "AWS::Events::Rule": _targets_of_rule,
    "AWS::IAM::InstanceProfile": _role_of_profile,
    "AWS::IAM::Policy": _policy_of_roles,
    "AWS::IAM::Role": _policies_of_role,
    "AWS::Logs::DeliveryDestination": _delivery_destination,
    "AWS::Logs::LogGroup": _retention,
    "AWS::S3::Bucket": _bucket,
    "AWS::S3::BucketPolicy": _bucket_policy,
    "AWS::SNS::TopicPolicy": _topic_policy,
    "AWS::SQS::Queue": _queue,
    "AWS::SQS::QueuePolicy": _queue_policy,
}

KNOWN_TYPES = frozenset(_CREATIONS) | frozenset(_FURTHER)
"""The resource types whose requests this validator derives."""

"""The API requests that the resources of a template imply."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.tables import flow
from tests.validators.cloudformation.conversion import Renames, tags_as_map, to_parameters
from tests.validators.cloudformation.intrinsics import Resource, resolve
from tests.validators.cloudformation.security_groups import (
    egress_rule,
    ingress_rule,
    rules_of_group,
)

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
    generated: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    tag_specification: str = ""
    tags_as_map: bool = False

    def request(self, resource: Resource) -> Request:
        """The creating request of `resource`."""
        kept = {k: v for k, v in resource.properties.items() if k not in self.elsewhere}
        params = to_parameters(self.service, self.operation, self._tagged(kept), self.renames)
        params = {**dict.fromkeys(self.generated, "generated"), **params}
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


# Property names that differ from the API's, by resource type: the "Properties" of each type's page
# in the CloudFormation reference against the request parameters of the API reference (2026-11-20).
_CREATIONS: dict[str, _Creation] = {
    type: _Creation(*given.pop("request").split(), **given)
    for type, given in flow("""
AWS::APS::Scraper: {request: amp CreateScraper, tags_as_map: true}
AWS::APS::Workspace: {request: amp CreateWorkspace,
  elsewhere: [AlertManagerDefinition, LoggingConfiguration, QueryLoggingConfiguration,
    WorkspaceConfiguration],
  tags_as_map: true}
AWS::Batch::ComputeEnvironment: {request: batch CreateComputeEnvironment,
  generated: [computeEnvironmentName], elsewhere: [ReplaceComputeEnvironment, UpdatePolicy]}
AWS::Batch::JobDefinition: {request: batch RegisterJobDefinition, generated: [jobDefinitionName]}
AWS::Batch::JobQueue: {request: batch CreateJobQueue, generated: [jobQueueName]}
AWS::Batch::SchedulingPolicy: {request: batch CreateSchedulingPolicy, generated: [name]}
AWS::CloudWatch::Alarm: {request: cloudwatch PutMetricAlarm, generated: [AlarmName]}
AWS::CloudWatch::Dashboard: {request: cloudwatch PutDashboard, generated: [DashboardName]}
AWS::EC2::EIP: {request: ec2 AllocateAddress, tag_specification: elastic-ip}
AWS::EC2::InternetGateway: {request: ec2 CreateInternetGateway, tag_specification: internet-gateway}
AWS::EC2::LaunchTemplate: {request: ec2 CreateLaunchTemplate, generated: [LaunchTemplateName]}
AWS::EC2::NatGateway: {request: ec2 CreateNatGateway, tag_specification: natgateway}
AWS::EC2::PlacementGroup: {request: ec2 CreatePlacementGroup, generated: [GroupName],
  tag_specification: placement-group}
AWS::EC2::Route: {request: ec2 CreateRoute}
AWS::EC2::RouteTable: {request: ec2 CreateRouteTable, tag_specification: route-table}
AWS::EC2::SecurityGroup: {request: ec2 CreateSecurityGroup,
  renames: {GroupDescription: Description}, generated: [GroupName],
  elsewhere: [SecurityGroupIngress, SecurityGroupEgress], tag_specification: security-group}
AWS::EC2::Subnet: {request: ec2 CreateSubnet, elsewhere: [MapPublicIpOnLaunch],
  tag_specification: subnet}
AWS::EC2::SubnetRouteTableAssociation: {request: ec2 AssociateRouteTable}
AWS::EC2::VPC: {request: ec2 CreateVpc, elsewhere: [EnableDnsHostnames, EnableDnsSupport],
  tag_specification: vpc}
AWS::EC2::VPCEndpoint: {request: ec2 CreateVpcEndpoint, tag_specification: vpc-endpoint}
AWS::EC2::VPCGatewayAttachment: {request: ec2 AttachInternetGateway}
AWS::EC2::Volume: {request: ec2 CreateVolume, tag_specification: volume}
AWS::EFS::AccessPoint: {request: efs CreateAccessPoint, renames: {AccessPointTags: Tags},
  generated: [ClientToken]}
AWS::EFS::FileSystem: {request: efs CreateFileSystem, renames: {FileSystemTags: Tags},
  generated: [CreationToken],
  elsewhere: [BackupPolicy, FileSystemPolicy, FileSystemProtection, LifecyclePolicies]}
AWS::EFS::MountTarget: {request: efs CreateMountTarget}
AWS::EKS::AccessEntry: {request: eks CreateAccessEntry, elsewhere: [AccessPolicies],
  tags_as_map: true}
AWS::EKS::Addon: {request: eks CreateAddon, elsewhere: [PreserveOnDelete], tags_as_map: true}
AWS::EKS::Cluster: {request: eks CreateCluster, elsewhere: [Logging, Force], tags_as_map: true}
AWS::EKS::Nodegroup: {request: eks CreateNodegroup, generated: [nodegroupName],
  elsewhere: [ForceUpdateEnabled]}
AWS::EKS::PodIdentityAssociation: {request: eks CreatePodIdentityAssociation, tags_as_map: true}
AWS::Events::Rule: {request: events PutRule, generated: [Name], elsewhere: [Targets]}
AWS::FSx::DataRepositoryAssociation: {request: fsx CreateDataRepositoryAssociation}
AWS::FSx::FileSystem: {request: fsx CreateFileSystem}
AWS::FSx::StorageVirtualMachine: {request: fsx CreateStorageVirtualMachine}
AWS::FSx::Volume: {request: fsx CreateVolume}
AWS::Grafana::Workspace: {request: grafana CreateWorkspace,
  renames: {DataSources: workspaceDataSources, Name: workspaceName,
    NotificationDestinations: workspaceNotificationDestinations, RoleArn: workspaceRoleArn},
  elsewhere: [PluginAdminEnabled]}
AWS::IAM::InstanceProfile: {request: iam CreateInstanceProfile, generated: [InstanceProfileName],
  elsewhere: [Roles]}
AWS::IAM::ManagedPolicy: {request: iam CreatePolicy, renames: {ManagedPolicyName: PolicyName},
  generated: [PolicyName], elsewhere: [Groups, Roles, Users]}
AWS::IAM::Role: {request: iam CreateRole, generated: [RoleName],
  elsewhere: [ManagedPolicyArns, Policies]}
AWS::KMS::Key: {request: kms CreateKey,
  renames: {KeyPolicy: Policy, Tags.Key: TagKey, Tags.Value: TagValue},
  elsewhere: [EnableKeyRotation, RotationPeriodInDays, PendingWindowInDays]}
AWS::Logs::Delivery: {request: logs CreateDelivery, tags_as_map: true}
AWS::Logs::DeliverySource: {request: logs PutDeliverySource, tags_as_map: true}
AWS::Logs::LogGroup: {request: logs CreateLogGroup, generated: [logGroupName],
  elsewhere: [RetentionInDays], tags_as_map: true}
AWS::PCS::Cluster: {request: pcs CreateCluster, renames: {Name: clusterName},
  generated: [clusterName]}
AWS::PCS::ComputeNodeGroup: {request: pcs CreateComputeNodeGroup,
  renames: {ClusterId: clusterIdentifier, CustomLaunchTemplate.TemplateId: id,
    Name: computeNodeGroupName},
  generated: [computeNodeGroupName]}
AWS::PCS::Queue: {request: pcs CreateQueue,
  renames: {ClusterId: clusterIdentifier, Name: queueName}, generated: [queueName]}
AWS::SageMaker::Cluster: {request: sagemaker CreateCluster, generated: [ClusterName]}
AWS::SageMaker::ClusterSchedulerConfig: {request: sagemaker CreateClusterSchedulerConfig}
AWS::SageMaker::ComputeQuota: {request: sagemaker CreateComputeQuota}
AWS::Scheduler::Schedule: {request: scheduler CreateSchedule, generated: [Name]}
AWS::Scheduler::ScheduleGroup: {request: scheduler CreateScheduleGroup}
AWS::SNS::Subscription: {request: sns Subscribe}
AWS::SNS::Topic: {request: sns CreateTopic, generated: [Name]}
""").items()
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
    yield ("logs", "PutDeliveryDestination", {**params, "deliveryDestinationConfiguration": nested})


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

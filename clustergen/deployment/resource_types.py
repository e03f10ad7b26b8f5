"""What an update of a stack may delete or replace, and for what it needs the user's consent.

``deploy.sh`` stops before it replaces or deletes anything that is not :data:`HARMLESS`: what an
overlay adds is of any type. ``clustergen diff`` announces the same.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.artifacts import Artifact, Json, json_artifact
from clustergen.base.text_lists import words

STORES: Final[Mapping[str, str]] = {
    "AWS::APS::Workspace": "workspace",
    "AWS::DynamoDB::Table": "table",
    "AWS::EC2::Volume": "volume",
    "AWS::ECR::Repository": "repository",
    "AWS::EFS::FileSystem": "file system",
    "AWS::FSx::FileSystem": "file system",
    "AWS::FSx::StorageVirtualMachine": "virtual machine",
    "AWS::FSx::Volume": "volume",
    "AWS::Grafana::Workspace": "workspace",
    "AWS::RDS::DBCluster": "database",
    "AWS::RDS::DBInstance": "database",
}
"""What holds data of users, and what it is called."""
CLUSTERS: Final[Mapping[str, str]] = {
    "AWS::EKS::Cluster": "what users have made in it goes with it",
    "AWS::PCS::Cluster": "its jobs and their records go with it",
    "AWS::SageMaker::Cluster": "its nodes and their jobs go with it",
}
OTHER_DATA: Final[Mapping[str, str]] = {
    "AWS::CloudFormation::Stack": "its template says what is in it",
    "AWS::KMS::Key": "without it, nobody can read what it has encrypted",
    "AWS::Logs::LogGroup": "its events go with it",
    "AWS::S3::Bucket": "its objects go with it",
}
PROTECTED: Final = tuple(sorted({*STORES, *CLUSTERS, *OTHER_DATA}))
"""What the stack policy protects."""

WORK: Final[Mapping[str, str]] = {
    "AWS::Batch::ComputeEnvironment": "its nodes are terminated, with the jobs on them",
    "AWS::Batch::JobQueue": "running jobs end, and pending ones are cancelled",
    "AWS::EC2::Instance": "its disks go with it, and what runs on it ends",
    "AWS::EC2::EIP": "its address is lost, and allow lists elsewhere may have only that one",
    "AWS::EC2::InternetGateway": "connections of nodes end",
    "AWS::EC2::NatGateway": "connections of nodes end",
    "AWS::EC2::SecurityGroup": "EC2 does not delete it while a node has it",
    "AWS::EC2::Subnet": "EC2 does not delete it while a node is in it",
    "AWS::EC2::VPC": "EC2 does not delete it while anything is in it",
    "AWS::EC2::VPCEndpoint": "nodes without a way to the internet lose the service",
    "AWS::EC2::VPCGatewayAttachment": "connections of nodes end",
    "AWS::EKS::Addon": "its pods end: other pods need those of network and file systems",
    "AWS::EKS::Nodegroup": "its nodes are terminated, with the jobs on them",
    "AWS::FSx::DataRepositoryAssociation": "files are no longer imported and exported",
    "AWS::IAM::InstanceProfile": "nodes that have it lose all permissions, also those of Karpenter",
    "AWS::Lambda::Function": "what calls it fails, until it is there again",
    "AWS::PCS::ComputeNodeGroup": "its nodes are terminated, with the jobs on them",
    "AWS::PCS::Queue": "running jobs end, and pending ones are cancelled",
    "AWS::SageMaker::ComputeQuota": "its team has no quota any more",
    "AWS::SQS::Queue": "its messages go with it",
}
"""What running work needs, and why."""

_PERMISSION = "a permission: a new one grants the same, and one that is removed is no longer wanted"
_RULE = "a rule: a new one does the same, and no connection of nodes is its own"
_ALERT = "reports events: past ones are not in it"
_LOGS = "the way of log events to a log group, which keeps them"
HARMLESS: Final[Mapping[str, str]] = {
    "AWS::APS::RuleGroupsNamespace": _ALERT,
    "AWS::APS::Scraper": "collects for a workspace, which keeps what it has collected",
    "AWS::Batch::JobDefinition": "jobs that wait or run keep what they were submitted with",
    "AWS::Batch::SchedulingPolicy": "Batch does not delete it while a queue has it",
    "AWS::CloudWatch::Alarm": _ALERT,
    "AWS::CloudWatch::Dashboard": "a view of metrics, which stay",
    "AWS::EC2::LaunchTemplate": "nodes that run are not its own; node groups are asked about",
    "AWS::EC2::PlacementGroup": "EC2 does not delete it while an instance is in it",
    "AWS::EC2::Route": _RULE,
    "AWS::EC2::RouteTable": "its routes are resources of their own",
    "AWS::EC2::SecurityGroupEgress": _RULE,
    "AWS::EC2::SecurityGroupIngress": _RULE,
    "AWS::EC2::SubnetRouteTableAssociation": _RULE,
    "AWS::EFS::MountTarget": "files are in the file system; a new one comes with another subnet",
    "AWS::EKS::AccessEntry": _PERMISSION,
    "AWS::EKS::PodIdentityAssociation": _PERMISSION,
    "AWS::Events::Rule": _ALERT,
    "AWS::IAM::ManagedPolicy": _PERMISSION,
    "AWS::IAM::Policy": _PERMISSION,
    "AWS::IAM::Role": _PERMISSION,
    "AWS::Logs::Delivery": _LOGS,
    "AWS::Logs::DeliveryDestination": _LOGS,
    "AWS::Logs::DeliverySource": _LOGS,
    "AWS::Logs::SubscriptionFilter": _LOGS,
    "AWS::S3::BucketPolicy": _PERMISSION,
    "AWS::SNS::Subscription": _ALERT,
    "AWS::SNS::Topic": _ALERT,
    "AWS::SNS::TopicPolicy": _PERMISSION,
    "AWS::SQS::QueuePolicy": _PERMISSION,
    "AWS::SageMaker::ClusterSchedulerConfig": "tasks go on; a new one has the same priorities",
    "AWS::Scheduler::Schedule": "a date: nodes that run stay as they are",
    "AWS::Scheduler::ScheduleGroup": "its schedules are resources of their own",
}
"""Types whose removal or replacement loses neither data nor running work, and why."""

OF_NODES_ELSEWHERE: Final = words("AWS::IAM::Role")
"""Of the foundation, their removal needs consent, too: nodes of other targets may have them, and
groups that HyperPod still runs after they left the spec. In other stacks, they go with their
users."""

NODES: Final[Mapping[str, tuple[str, ...]]] = {
    "AWS::Batch::ComputeEnvironment": words("ComputeResources"),
    "AWS::EKS::Nodegroup": words("LaunchTemplate ReleaseVersion Version"),
    "AWS::PCS::ComputeNodeGroup": words("""
        AmiId CustomLaunchTemplate IamInstanceProfileArn NodeLifecycleActions PurchaseOption
    """),
}
"""Of each type of node group, the properties with which the service replaces its nodes."""

POLICY: Final = "stack-policy.json"
"""The stack policy in a bundle."""


def is_asked(type: str, *, leaves_foundation: bool = False) -> bool:
    """Whether the removal or replacement of a resource needs consent."""
    if leaves_foundation and type in OF_NODES_ELSEWHERE:
        return True
    return "::" in type and type not in HARMLESS


def policy() -> Json:
    """A stack policy: no update replaces or deletes clusters and data.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/protect-stack-resources.html
    """
    return {
        "Statement": [
            {
                "Effect": "Deny",
                "Action": ["Update:Replace", "Update:Delete"],
                "Principal": "*",
                "Resource": "*",
                "Condition": {"StringEquals": {"ResourceType": list(PROTECTED)}},
            },
            {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"},
        ]
    }


def policy_file() -> Artifact:
    """The stack policy as a file of a bundle."""
    return json_artifact(POLICY, policy())


def holds_data(template: Json) -> bool:
    """Whether the stack policy protects anything in a template."""
    types = {each.get("Type") for each in template.get("Resources", {}).values()}
    return not types.isdisjoint(PROTECTED)


DELETION: Final[Mapping[str, str]] = {
    "AWS::EFS::MountTarget": "efs delete-mount-target --mount-target-id ID",
    "AWS::EFS::FileSystem": "efs delete-file-system --file-system-id ID",
    "AWS::FSx::FileSystem": "fsx delete-file-system --file-system-id ID",
    "AWS::EC2::SecurityGroup": "ec2 delete-security-group --group-id ID",
    "AWS::EC2::Subnet": "ec2 delete-subnet --subnet-id ID",
    "AWS::EC2::VPC": "ec2 delete-vpc --vpc-id ID",
    # Its id here is its ARN, which ends with the id that the command takes.
    "AWS::APS::Workspace": 'amp delete-workspace --workspace-id "$(basename ID)"',
    "AWS::Logs::LogGroup": "logs delete-log-group --log-group-name ID",
    "AWS::S3::Bucket": "s3 rb s3://ID",
}
"""The commands that delete what outlives a stack, in the order in which they must be run."""
_REMARKS: Final[Mapping[str, str]] = {
    # https://docs.aws.amazon.com/efs/latest/ug/API_DeleteMountTarget.html (2026-11)
    "AWS::EFS::FileSystem": "  # once its mount targets are gone, after a minute or two",
    "AWS::EC2::SecurityGroup": "  # once the file systems are gone, after some minutes",
    # Its versions must be deleted first: the console's "Empty" does that.
    "AWS::S3::Bucket": "  # empty it in the console first, with all versions",
}
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/delete-file-system.html (2026-11)
_UNEXPORTED: Final = (
    "  # once its metric AgeOfOldestQueuedMessage is 0: S3 lacks the latest files until then"
)


def retained(resources: Json) -> Iterator[tuple[str, str]]:
    """Logical ids of resources that outlive the stack, with commands to delete them, in order."""
    for type, command in DELETION.items():
        remark = _REMARKS.get(type, "")
        for name, resource in resources.items():
            kept = str(resource.get("DeletionPolicy", "")).startswith("Retain")
            if kept and resource["Type"] == type:
                yield name, command + remark + (_UNEXPORTED if _exports(resources, name) else "")


def _exports(resources: Json, file_system: str) -> bool:
    """Whether FSx copies changes of a file system to S3, some time later."""
    every = (each.get("Properties", {}) for each in resources.values())
    return any(
        "AutoExportPolicy" in each.get("S3", ()) and each["FileSystemId"] == {"Ref": file_system}
        for each in every
    )

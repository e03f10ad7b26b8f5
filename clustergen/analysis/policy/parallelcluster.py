"""What ``pcluster`` calls, and what the stacks and roles of its clusters consist of.

From the policies that AWS publishes for ParallelCluster 3, and its templates:
https://docs.aws.amazon.com/parallelcluster/latest/ug/iam-roles-in-parallelcluster-v3.html and
https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cloudformation/policies (2026-11).
"""

from collections.abc import Iterator

from clustergen.base.text_lists import words
from clustergen.plan.model import Plan

TYPES = words("""
    AWS::AutoScaling::AutoScalingGroup AWS::CloudFormation::Stack AWS::CloudWatch::Alarm
    AWS::CloudWatch::CompositeAlarm AWS::CloudWatch::Dashboard AWS::DynamoDB::Table AWS::EC2::EIP
    AWS::EC2::EIPAssociation AWS::EC2::Instance AWS::EC2::LaunchTemplate
    AWS::EC2::NetworkInterface AWS::EC2::PlacementGroup AWS::EC2::SecurityGroup
    AWS::EC2::SecurityGroupEgress AWS::EC2::SecurityGroupIngress AWS::EC2::Volume
    AWS::EFS::FileSystem AWS::EFS::MountTarget AWS::ElasticLoadBalancingV2::Listener
    AWS::ElasticLoadBalancingV2::LoadBalancer AWS::ElasticLoadBalancingV2::TargetGroup
    AWS::FSx::FileSystem AWS::IAM::InstanceProfile AWS::IAM::Policy AWS::IAM::Role
    AWS::Lambda::Function AWS::Lambda::Permission AWS::Logs::LogGroup AWS::Logs::MetricFilter
    AWS::Route53::HostedZone AWS::Route53::RecordSet
""")
"""The types in stacks of clusters with Slurm."""

CALLS = words("""
    autoscaling:DescribeAutoScalingGroups cloudformation:CreateStack cloudformation:DeleteStack
    cloudformation:DescribeStackEvents cloudformation:DescribeStackResource
    cloudformation:DescribeStackResources cloudformation:DescribeStacks
    cloudformation:GetTemplate cloudformation:UpdateStack dynamodb:GetItem dynamodb:PutItem
    dynamodb:Query ec2:DescribeAddresses ec2:DescribeAvailabilityZones
    ec2:DescribeCapacityReservations ec2:DescribeImageAttribute ec2:DescribeImages
    ec2:DescribeInstanceTypeOfferings ec2:DescribeInstanceTypes ec2:DescribeInstances
    ec2:DescribeKeyPairs ec2:DescribeNetworkInterfaces ec2:DescribePlacementGroups
    ec2:DescribeRouteTables ec2:DescribeSecurityGroups ec2:DescribeSnapshots ec2:DescribeSubnets
    ec2:DescribeTags ec2:DescribeVolumes ec2:DescribeVpcAttribute ec2:DescribeVpcs
    ec2:RunInstances ec2:CreateFleet ec2:TerminateInstances elasticfilesystem:DescribeAccessPoints
    elasticfilesystem:DescribeFileSystems elasticfilesystem:DescribeMountTargetSecurityGroups
    elasticfilesystem:DescribeMountTargets elasticloadbalancing:DescribeLoadBalancers
    elasticloadbalancing:DescribeTargetGroups elasticloadbalancing:DescribeTargetHealth
    fsx:DescribeBackups fsx:DescribeDataRepositoryAssociations fsx:DescribeFileCaches
    fsx:DescribeFileSystems fsx:DescribeStorageVirtualMachines fsx:DescribeVolumes
    iam:GetInstanceProfile iam:GetPolicy iam:GetRole kms:DescribeKey logs:CreateExportTask
    logs:DescribeExportTasks logs:DescribeLogGroups logs:DescribeLogStreams logs:FilterLogEvents
    logs:GetLogEvents resource-groups:GetGroupConfiguration resource-groups:ListGroupResources
    route53:GetHostedZone s3:CreateBucket s3:DeleteObject s3:DeleteObjectVersion
    s3:GetBucketLocation s3:GetBucketVersioning s3:GetObject s3:ListBucket s3:ListBucketVersions
    s3:PutBucketPolicy s3:PutBucketVersioning s3:PutEncryptionConfiguration s3:PutObject
    secretsmanager:DescribeSecret ssm:GetParameter
""")

SERVICES = ("ec2", "lambda")
"""The services that it gives roles to."""

NODES = words("""
    autoscaling:CompleteLifecycleAction cloudformation:DescribeStackResource
    cloudformation:DescribeStacks cloudformation:SignalResource dynamodb:BatchGetItem
    dynamodb:BatchWriteItem dynamodb:DeleteItem dynamodb:GetItem dynamodb:PutItem dynamodb:Query
    dynamodb:UpdateItem ec2:AssignPrivateIpAddresses ec2:AttachVolume ec2:CreateFleet
    ec2:CreateNetworkInterface ec2:CreateTags ec2:DeleteNetworkInterface
    ec2:DescribeCapacityReservations ec2:DescribeInstanceAttribute ec2:DescribeInstanceStatus
    ec2:DescribeInstances ec2:DescribeNetworkInterfaces ec2:DescribeVolumes ec2:DetachVolume
    ec2:GetConsoleOutput ec2:RunInstances ec2:TerminateInstances ec2:UnassignPrivateIpAddresses
    elasticfilesystem:ClientMount elasticfilesystem:ClientRootAccess
    elasticfilesystem:ClientWrite elasticloadbalancing:DescribeTargetGroups
    elasticloadbalancing:DescribeTargetHealth iam:PassRole logs:CreateLogGroup
    logs:CreateLogStream logs:PutLogEvents resource-groups:ListGroupResources
    route53:ChangeResourceRecordSets route53:ListResourceRecordSets s3:DeleteObject
    s3:DeleteObjectVersion s3:GetBucketLocation s3:GetObject s3:GetObjectVersion s3:ListBucket
    s3:ListBucketVersions s3:PutObject secretsmanager:GetSecretValue ssm:GetParameter
""")
"""What the roles of its nodes and functions may do."""


def stacks(plan: Plan) -> set[str]:
    """The stack of a cluster, and those within it."""
    return {plan.name, f"{plan.name}-*"} if plan.target == "parallelcluster" else set()


def buckets(plan: Plan) -> tuple[str, ...]:
    """The bucket of the configuration, or its own in each region.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/s3-v3.html
    """
    return (getattr(plan.options, "bucket", None) or "parallelcluster-*-v1-do-not-delete",)


def named(plan: Plan) -> list[str]:
    """What names of tables and functions begin with."""
    kinds = ("parallelcluster", "pcluster") if plan.target == "parallelcluster" else ()
    return [f"{kind}-{plan.name}" for kind in kinds]


def roles(plan: Plan) -> Iterator[str]:
    """What names of roles begin with, with their path: Iam.ResourcePrefix has one or both."""
    if plan.target == "parallelcluster":
        prefix = getattr(plan.options, "resource_prefix", None) or f"/parallelcluster/{plan.name}"
        yield prefix if prefix.startswith("/") else f"/parallelcluster/{prefix}"
        yield prefix if prefix.startswith("/") else f"/{prefix}"

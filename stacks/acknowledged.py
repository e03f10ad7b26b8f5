"""Accepted findings of cdk-nag and the CDK in the stacks, with reasons."""

from collections.abc import Mapping

import aws_cdk as cdk
from constructs import IConstruct

from clustergen.base.text_lists import words
from clustergen.facts.catalog import regions
from clustergen.plan.model import Bucket, Plan
from clustergen.services.kubernetes import karpenter
from clustergen.services.monitoring import names

_DEPLOYMENT = "Custom::CDKBucketDeployment"
_FUNCTION = "the function that copies scripts is CDK's own: "

# https://docs.aws.amazon.com/eks/latest/userguide/security-iam-awsmanpol.html
MANAGED_POLICIES = {
    "AmazonEKSClusterPolicy": "the control plane's own, which EKS asks for and keeps up",
    "AmazonEKSWorkerNodePolicy": "of every node of EKS, which asks for it and keeps it up",
    "AmazonEC2ContainerRegistryPullOnly": "of every node of EKS: pulls images, and no more",
    "AmazonEKS_CNI_Policy": "the add-on's own, for its service account alone",
    "AmazonFSxReadOnlyAccess": "the add-on's own, for its service account alone",
    "CloudWatchAgentServerPolicy": "the add-on's own, for its service account alone",
    "service-role/AmazonEBSCSIDriverPolicy": "the add-on's own, for its service account alone",
    "service-role/AmazonEFSCSIDriverPolicy": "the add-on's own, for its service account alone",
}
"""Name -> reason for an AWS managed policy (AwsSolutions-IAM4)."""


def acknowledge(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    """Acknowledge findings in ``construct`` and all its children: id -> reason."""
    known = [cdk.Acknowledgment(id=id, reason=reason) for id, reason in reasons.items()]
    cdk.Validations.of(construct).acknowledge(*known)


def _managed(names: Mapping[str, str]) -> dict[str, str]:
    arn = "arn:<AWS::Partition>:iam::aws:policy"
    return {f"AwsSolutions-IAM4[Policy::{arn}/{name}]": why for name, why in names.items()}


def _wild(resources: Mapping[str, str]) -> dict[str, str]:
    return {f"AwsSolutions-IAM5[Resource::{arn}]": why for arn, why in resources.items()}


_OWN = "arn:<AWS::Partition>"
_HERE = "<AWS::Region>:<AWS::AccountId>"
_LOGS = f"{_OWN}:logs:{_HERE}"


TASK_GOVERNANCE = {
    "CloudFormation-Validate::F3006": "types that the rules of this CDK do not know; cfn-lint's do",
}
"""Why AWS::SageMaker::ClusterSchedulerConfig and ComputeQuota are valid."""


_SCRIPTS = "every script is in this bucket, under a hash of its text"

_INTERFACES = "HyperPod makes interfaces in the VPC it is given"

# Permissions that AWS documents for roles of nodes, and actions without narrower resources.
_FOUNDATION = {
    "AwsSolutions-VPC7": "flow logs are the account's to keep, and cost by the traffic of training",
    "AwsSolutions-S1": "boot scripts are read by nodes of one cluster: CloudTrail shows who else",
    **_managed(
        {
            "AWSPCSComputeNodePolicy": "of every node of PCS, which asks for it",
            "service-role/AmazonEC2ContainerServiceforEC2Role": "of every node of Batch, likewise",
            "AmazonSageMakerClusterInstanceRolePolicy": "of every node of HyperPod, by its guide",
        }
    ),
    **_wild(
        {
            "*": "actions that know no resources: descriptions, a token for registries",
            "<ScriptsBucket.Arn>/*": _SCRIPTS,
            f"{_OWN}:s3:::<ScriptsBucketName>/*": _SCRIPTS,
            f"{_OWN}:s3:::aws-pcs-repo-<AWS::Region>/*": "AWS's own scripts for PCS",
            f"{_OWN}:pcs:{_HERE}:cluster/*": "the id of the cluster is not known before it",
            f"{_LOGS}:log-group:/aws/pcs/*": "PCS names its log groups by the id of the cluster",
            f"{_OWN}:eks:{_HERE}:cluster/*": "pods of any EKS cluster that the nodes may join",
            f"{_OWN}:ecr:<AWS::Region>:*:repository/*": "images of AWS are in accounts of AWS",
            f"{_OWN}:ec2:<AWS::Region>:*:instance/*": "instances of HyperPod are SageMaker's own",
            f"{_OWN}:cloudwatch:{_HERE}:alarm:*": "alarms that the user names in an update",
            f"{_OWN}:kms:{_HERE}:key/*": "keys of volumes, and through SageMaker only",
            f"{_OWN}:sagemaker:{_HERE}:cluster/*": "the id of the cluster is not known before it",
            f"{_OWN}:ec2:{_HERE}:network-interface/*": _INTERFACES,
            f"{_OWN}:ec2:<AWS::Region>:*:security-group/*": f"{_INTERFACES}, also a shared one",
            f"{_OWN}:ec2:<AWS::Region>:*:subnet/*": f"{_INTERFACES}, also a shared one",
        }
    ),
}
"""Findings in the foundation, and in roles of nodes.

The rules need typed resources, which tests create from the templates.
"""


def foundation(stack: cdk.Stack, plan: Plan) -> None:
    """The foundation, and stacks with roles of nodes."""
    streams = f"{_LOGS}:log-group:{names.log_group(plan)}:*"
    reason = "streams of the group that nodes write their metrics to"
    acknowledge(stack, {**_FOUNDATION, **_wild({streams: reason})})


def eks(stack: cdk.Stack, plan: Plan) -> None:
    """The parts of an EKS cluster."""
    reasons = {
        **_managed(MANAGED_POLICIES),
        **_wild({"*": "Systems Manager's actions know no resources"}),
    }
    if plan.kubernetes.public_endpoint_from:
        reason = "the spec opens the endpoint, to the addresses that it names"
        reasons["AwsSolutions-EKS1"] = reason
    for bucket in (item for item in plan.storage if isinstance(item, Bucket)):
        path = "/".join(filter(None, (bucket.bucket, bucket.prefix.strip("/"), "*")))
        reasons |= _wild({f"{_OWN}:s3:::{path}": "objects of a bucket that the spec mounts"})
    if plan.sagemaker:
        clusters = {f"{_OWN}:{service}:{_HERE}:cluster/*" for service in ("sagemaker", "eks")}
        reason = "the cluster of HyperPod, whose id is not known before it"
        reasons |= _wild(dict.fromkeys(sorted(clusters), reason))
    acknowledge(stack, {**reasons, **(_karpenter() if karpenter.is_on(plan) else {})})


def _karpenter() -> dict[str, str]:
    """https://karpenter.sh/docs/reference/cloudformation/"""
    ec2 = "arn:<AWS::Partition>:ec2:<AWS::Region>"
    started = words("""
        capacity-reservation fleet instance launch-template network-interface
        placement-group security-group spot-instances-request subnet volume
    """)
    resources = {
        "*": "EC2's and Systems Manager's actions that describe know no resources",
        **{f"{ec2}:*:{kind}/*": "what nodes are started with, by tag" for kind in started},
        **{f"{ec2}::{kind}/*": "images are AWS's" for kind in ("image", "snapshot")},
        "arn:<AWS::Partition>:iam::<AWS::AccountId>:instance-profile/*": "limited by tag",
        "arn:<AWS::Partition>:ssm:<AWS::Region>::parameter/aws/service/*": "AWS's own parameters",
    }
    key = {"AwsSolutions-IAM5[Action::kms:ReEncrypt*]": "the two actions, with keys of the spec"}
    queue = {"AwsSolutions-SQS3": "a lost notice of an interruption is late already: no second try"}
    return {**_wild(resources), **key, **queue}


_PUBLIC_REGISTRY = (
    '{"Fn::If":["SoftwareKubectlHandlerHasEcrPublic685158C8",{"Fn::Join":["",["arn:",'
    '{"Ref":"AWS::Partition"},":iam::aws:policy/AmazonElasticContainerRegistryPublicReadOnly"]]},'
    '{"Ref":"AWS::NoValue"}]}'
)


def kubectl(software: IConstruct) -> None:
    """The CDK's functions that run kubectl and helm."""
    why = "the function that runs kubectl is CDK's own"
    policies = words("""
        AmazonEC2ContainerRegistryReadOnly service-role/AWSLambdaBasicExecutionRole
        service-role/AWSLambdaVPCAccessExecutionRole
    """)
    acknowledge(
        software,
        {
            **_managed(dict.fromkeys(policies, why)),
            f"AwsSolutions-IAM4[Policy::{_PUBLIC_REGISTRY}]": why,
            **_wild({"<SoftwareKubectlHandler.Arn>:*": why}),
            "AwsSolutions-L1": why,
        },
    )


def bucket_deployment(stack: cdk.Stack, bucket: str) -> None:
    """The CDK's function that copies scripts to ``bucket`` (the name of its export)."""
    basic = "arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
    assets = f"cdk-hnb659fds-assets-<AWS::AccountId>-{stack.region}"
    s3 = f"arn:{regions.partition_of(stack.region).name}:s3:::"
    actions = ("GetBucket*", "GetObject*", "List*", "Abort*", "DeleteObject*")
    reasons = {
        f"AwsSolutions-IAM4[Policy::{basic}]": f"{_FUNCTION}the policy lets it write its log",
        "AwsSolutions-L1": f"{_FUNCTION}its runtime moves with aws-cdk-lib",
        **{
            f"AwsSolutions-IAM5[Action::s3:{action}]": f"{_FUNCTION}grants on two buckets only"
            for action in actions
        },
        f"AwsSolutions-IAM5[Resource::{s3}{assets}/*]": f"{_FUNCTION}reads the assets",
        f"AwsSolutions-IAM5[Resource::{s3}{bucket}/*]": f"{_FUNCTION}writes the scripts",
    }
    for child in stack.node.children:
        if child.node.id.startswith(_DEPLOYMENT):
            acknowledge(child, reasons)


def provider_policy(policy: IConstruct) -> None:
    """Permissions of ParallelCluster's provider for a cluster."""
    roles = f"{_OWN}:iam::<AWS::AccountId>:role/parallelcluster/*"
    reason = "ParallelCluster makes the roles of nodes under this path, and chooses their names"
    acknowledge(policy, _wild({roles: reason}))

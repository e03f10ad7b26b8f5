"""What the roles of a cluster may do: the table of SECURITY.md, which the tests compare with roles.

A question is a list of calls; the answer is yes if a role may make one of them. A role that is in
no row, or may do what its row does not say, fails `tests/targets/test_roles.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ACCOUNT = "123456789012"
_HERE = f"us-east-1:{ACCOUNT}"
_EC2 = f"arn:aws:ec2:{_HERE}"
VPC, SCRIPTS = "VPC", "SCRIPTS"
"""Stand for the VPC of the spec and for the bucket of its scripts."""
OWN_VPC = {"ec2:vpc": f"{_EC2}:vpc/{VPC}"}
OTHER_VPC = {"ec2:vpc": f"{_EC2}:vpc/vpc-0ffffffffffffffff"}
TO_EC2 = {"iam:passedtoservice": "ec2.amazonaws.com"}
Call = tuple[str, str, Mapping[str, str]]


def _calls(actions: str, resource: str, keys: Mapping[str, str] | None = None) -> tuple[Call, ...]:
    return tuple((action, resource, keys or {}) for action in actions.split())


QUESTIONS: Mapping[str, tuple[Call, ...]] = {
    "read other secrets and parameters": (
        *_calls("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:{_HERE}:secret:x-a1b2c3"),
        *_calls("ssm:GetParameter ssm:GetParameters", f"arn:aws:ssm:{_HERE}:parameter/password"),
    ),
    "read the password of the accounting database": _calls(
        "secretsmanager:GetSecretValue",
        "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3",
    ),
    "pass a role that is not of its own nodes": (
        *_calls("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/admin", TO_EC2),
        *_calls("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/aws-pcs/other", TO_EC2),
    ),
    "assume roles": _calls("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/admin"),
    "create or change roles, users and keys": _calls(
        "iam:CreateRole iam:PutRolePolicy iam:AttachRolePolicy iam:UpdateAssumeRolePolicy "
        "iam:CreatePolicyVersion iam:CreateUser iam:CreateAccessKey",
        f"arn:aws:iam::{ACCOUNT}:role/admin",
    ),
    "start instances": _calls("ec2:RunInstances ec2:CreateFleet", f"{_EC2}:instance/*"),
    "start instances with the tag of its cluster": _calls(
        "ec2:RunInstances",
        f"{_EC2}:instance/*",
        {"aws:requesttag/kubernetes.io/cluster/example": "owned"},
    ),
    "end other instances": _calls(
        "ec2:TerminateInstances ec2:StopInstances ec2:RebootInstances", f"{_EC2}:instance/i-0f"
    ),
    "end nodes of other HyperPod clusters": _calls(
        "sagemaker:BatchDeleteClusterNodes sagemaker:UpdateCluster sagemaker:DeleteCluster",
        f"arn:aws:sagemaker:{_HERE}:cluster/other",
    ),
    "take nodes of other ECS clusters out of service": _calls(
        "ecs:DeregisterContainerInstance ecs:UpdateContainerInstancesState",
        f"arn:aws:ecs:{_HERE}:container-instance/other/0a",
    ),
    "change its own cluster or node groups": (
        *_calls("eks:UpdateNodegroupConfig", f"arn:aws:eks:{_HERE}:nodegroup/example/h200/0a"),
        *_calls(
            "eks:UpdateClusterConfig eks:CreateAccessEntry eks:DeleteCluster",
            f"arn:aws:eks:{_HERE}:cluster/example",
        ),
        *_calls(
            "pcs:UpdateComputeNodeGroup pcs:DeleteCluster",
            f"arn:aws:pcs:{_HERE}:cluster/pcs_0a1b2c3d4e/computenodegroup/pcs_0b",
        ),
        *_calls(
            "batch:UpdateComputeEnvironment",
            f"arn:aws:batch:{_HERE}:compute-environment/ComputeEnvironmentH200Arn",
        ),
    ),
    "change other clusters": (
        *_calls("eks:UpdateNodegroupConfig", f"arn:aws:eks:{_HERE}:nodegroup/other/a/0a"),
        *_calls(
            "eks:UpdateClusterConfig eks:CreateAccessEntry eks:AssociateAccessPolicy",
            f"arn:aws:eks:{_HERE}:cluster/other",
        ),
        *_calls("pcs:UpdateComputeNodeGroup", f"arn:aws:pcs:{_HERE}:cluster/pcs_other/x/y"),
        *_calls("batch:UpdateComputeEnvironment", f"arn:aws:batch:{_HERE}:compute-environment/x"),
        *_calls("cloudformation:UpdateStack", f"arn:aws:cloudformation:{_HERE}:stack/other/0a"),
    ),
    "use the Kubernetes API by IAM": _calls(
        "eks:AccessKubernetesApi", f"arn:aws:eks:{_HERE}:cluster/example"
    ),
    "write to the scripts bucket": _calls(
        "s3:PutObject s3:DeleteObject s3:PutBucketPolicy", f"arn:aws:s3:::{SCRIPTS}/lifecycle/x"
    ),
    "write to buckets that the spec does not name": _calls(
        "s3:PutObject s3:DeleteObject", "arn:aws:s3:::other/x"
    ),
    "read buckets that the spec does not name": _calls("s3:GetObject", "arn:aws:s3:::other/x"),
    "read buckets of the account named sagemaker-*": _calls(
        "s3:GetObject", "arn:aws:s3:::sagemaker-other/x", {"aws:resourceaccount": ACCOUNT}
    ),
    "change other network interfaces in its VPC": _calls(
        "ec2:ModifyNetworkInterfaceAttribute ec2:DetachNetworkInterface ec2:DeleteNetworkInterface",
        f"{_EC2}:network-interface/eni-0f",
        OWN_VPC,
    ),
    "change network interfaces in other VPCs": _calls(
        "ec2:ModifyNetworkInterfaceAttribute ec2:DetachNetworkInterface ec2:DeleteNetworkInterface",
        f"{_EC2}:network-interface/eni-0f",
        OTHER_VPC,
    ),
    "change rules of security groups": _calls(
        "ec2:AuthorizeSecurityGroupIngress ec2:RevokeSecurityGroupIngress",
        f"{_EC2}:security-group/sg-0f",
    ),
    "change tags of network interfaces": _calls(
        "ec2:CreateTags", f"{_EC2}:network-interface/eni-0f", OTHER_VPC
    ),
    "change tags of other instances": _calls("ec2:CreateTags", f"{_EC2}:instance/i-0f"),
    "attach and copy other volumes": _calls(
        "ec2:AttachVolume ec2:DetachVolume ec2:CreateSnapshot", f"{_EC2}:volume/vol-0f"
    ),
    "read other logs": _calls(
        "logs:GetLogEvents logs:FilterLogEvents", f"arn:aws:logs:{_HERE}:log-group:/other:*"
    ),
    "read logs of other HyperPod clusters": _calls(
        "logs:GetLogEvents logs:FilterLogEvents",
        f"arn:aws:logs:{_HERE}:log-group:/aws/sagemaker/Clusters/other/0a",
    ),
    "write to other log groups": _calls(
        "logs:PutLogEvents", f"arn:aws:logs:{_HERE}:log-group:/other:log-stream:x"
    ),
    "write to logs of other clusters of the service": (
        *_calls("logs:PutLogEvents", f"arn:aws:logs:{_HERE}:log-group:/aws/pcs/other"),
        *_calls(
            "logs:PutLogEvents",
            f"arn:aws:logs:{_HERE}:log-group:/aws/sagemaker/Clusters/other/0a:log-stream:x",
        ),
    ),
    "open shells or run commands on instances": _calls(
        "ssm:SendCommand ssm:StartSession ssm:CreateAssociation", f"{_EC2}:instance/i-0f"
    ),
    "use other KMS keys": _calls(
        "kms:Decrypt kms:CreateGrant kms:GenerateDataKey kms:PutKeyPolicy",
        f"arn:aws:kms:{_HERE}:key/0f",
    ),
    "grant keys through SageMaker": _calls(
        "kms:CreateGrant",
        f"arn:aws:kms:{_HERE}:key/0f",
        {"kms:viaservice": "sagemaker.us-east-1.amazonaws.com"},
    ),
    "pull images of any repository": _calls(
        "ecr:BatchGetImage", f"arn:aws:ecr:{_HERE}:repository/other"
    ),
    "push images": _calls("ecr:PutImage", f"arn:aws:ecr:{_HERE}:repository/other"),
}
"""What may matter to others -> the calls that it takes."""


@dataclass(frozen=True, slots=True)
class Row:
    """Roles with the same permissions, and what they may do of :data:`QUESTIONS`."""

    roles: tuple[str, ...]
    """Target and logical id."""
    user: str
    """Who acts with the role."""
    can: Mapping[str, str]
    """Question -> why that is so, or what limits it."""


_TAGS = {
    "change tags of network interfaces": "HyperPod tags the interfaces that it creates; AWS "
    "documents no narrower permission",
}
_NODES_OF_HYPERPOD = {
    "read buckets of the account named sagemaker-*": "AWS's policy for these nodes",
    "change other network interfaces in its VPC": "HyperPod creates and ends the interfaces of "
    "nodes with this role; share a VPC only with those who may",
    **_TAGS,
    "write to logs of other clusters of the service": "AWS's policy for these nodes; it reads none",
    "pull images of any repository": "for containers of jobs; a repository's policy can deny it",
}
_OWN = {"change its own cluster or node groups": "its work: the sizes of groups with dates"}
_CNI = {
    "change other network interfaces in its VPC": "AWS's policy for the VPC CNI",
    "change network interfaces in other VPCs": "the same",
    "change tags of network interfaces": "the same",
}
_PULL = {"pull images of any repository": "AWS's policy for nodes of EKS"}
ROWS = (
    Row(
        (
            "parallelcluster ScriptsPolicy",
            "parallelcluster SessionPolicy",
            "parallelcluster MetricsPolicy",
        ),
        "jobs and users of all nodes; ParallelCluster creates the roles, see above",
        {},
    ),
    Row(
        ("pcs NodeRole",),
        "jobs and users of compute and login nodes",
        {
            "write to logs of other clusters of the service": "the role is older than the id of "
            "the cluster; it reads none",
        },
    ),
    Row(
        ("hyperpod-slurm HyperPodExecutionRole",),
        "jobs and users of compute and login nodes",
        _NODES_OF_HYPERPOD,
    ),
    Row(
        ("hyperpod-slurm HyperPodHeadNodeRole",),
        "users of the controller, where accounting uses an external database",
        {"read the password of the accounting database": "its work", **_NODES_OF_HYPERPOD},
    ),
    Row(
        ("hyperpod-eks HyperPodExecutionRole",),
        "root on nodes, and pods with the network of the host",
        _NODES_OF_HYPERPOD,
    ),
    Row(
        ("hyperpod-eks HyperPodClusterRole",),
        "HyperPod alone, for Karpenter",
        {
            "end nodes of other HyperPod clusters": "the id of a cluster is known only once it "
            "exists; no node or pod can assume the role",
            "grant keys through SageMaker": "AWS's policy for this role",
        },
    ),
    Row(
        ("eks NodeRole", "eks KarpenterNodeRole", "hyperpod-eks SystemNodesRole"),
        "root on nodes, and pods with the network of the host",
        _PULL,
    ),
    Row(
        ("eks-existing-cluster NodeRole",),
        "the same, in an EKS cluster that existed before, whose VPC CNI may use the role of nodes",
        {**_CNI, **_PULL},
    ),
    Row(
        ("eks KarpenterRole",),
        "the pods of Karpenter",
        {
            "start instances with the tag of its cluster": "its work; it passes the roles of the "
            "cluster's nodes and no other",
        },
    ),
    Row(
        ("eks AddonVpcCniRole", "hyperpod-eks AddonVpcCniRole"),
        "the pods `aws-node`",
        _CNI,
    ),
    Row(
        ("eks AddonAwsEbsCsiDriverRole", "hyperpod-eks AddonAwsEbsCsiDriverRole"),
        "the controller of EBS volumes",
        {"attach and copy other volumes": "AWS's policy for the add-on"},
    ),
    Row(
        (
            "eks AddonAwsFsxCsiDriverRole",
            "eks AddonAwsEfsCsiDriverRole",
            "eks AddonAwsMountpointS3CsiDriverRole",
            "eks AlertsRole",
            "hyperpod-eks TrainingOperatorRole",
        ),
        "the pods of the driver, of Alertmanager or of the operator",
        {},
    ),
    Row(
        ("hyperpod-eks ObservabilityRole",),
        "the pods of HyperPod's observability",
        {
            "read logs of other HyperPod clusters": "AWS's policy for the add-on",
            "write to logs of other clusters of the service": "AWS's policy for the add-on",
        },
    ),
    Row(
        ("eks AddonAmazonCloudwatchObservabilityRole",),
        "the pods of CloudWatch's agent",
        {
            "write to other log groups": "AWS's policy for the agent; it reads none",
            "write to logs of other clusters of the service": "the same",
        },
    ),
    Row(
        ("eks ClusterRole", "hyperpod-eks ClusterRole"),
        "EKS alone",
        {
            "change rules of security groups": "AWS's policy for control planes",
            "change tags of network interfaces": "AWS's policy for control planes",
            "change tags of other instances": "AWS's policy for control planes",
            "attach and copy other volumes": "AWS's policy for control planes",
        },
    ),
    Row(
        ("batch NodeRole",),
        "jobs: containers can use the role of their node",
        {
            "take nodes of other ECS clusters out of service": "AWS's policy, which Batch needs; "
            "Batch names its ECS clusters itself",
            "write to other log groups": "AWS's policy, which Batch needs; it reads none",
            "write to logs of other clusters of the service": "the same",
            "pull images of any repository": "the same; a repository's policy can deny it",
        },
    ),
    Row(
        ("pcs ScheduleRole",),
        "EventBridge Scheduler, for schedules of this stack",
        {
            **_OWN,
            "start instances": "PCS starts them for the caller, with the roles of this cluster's "
            "nodes and no other",
            "start instances with the tag of its cluster": "the same",
        },
    ),
    Row(
        ("eks ScheduleRole", "batch ScheduleRole"),
        "EventBridge Scheduler, for schedules of this stack",
        _OWN,
    ),
    Row(
        tuple(f"{t} GrafanaRole" for t in ("parallelcluster", "pcs", "hyperpod-slurm"))
        + tuple(f"{t} GrafanaRole" for t in ("hyperpod-eks", "eks")),
        "Amazon Managed Grafana",
        {},
    ),
)

_MARKS = ("<!-- permissions: generated by tools/docs/build.py -->", "<!-- end of permissions -->")


def page(text: str) -> str:
    """SECURITY.md, which is ``text``, with the table of today."""
    before, _, rest = text.partition(_MARKS[0])
    _, _, after = rest.partition(_MARKS[1])
    return f"{before}{_MARKS[0]}\n\n{_table()}\n\n{_never()}\n\n{_MARKS[1]}{after}"


def _table() -> str:
    head = ("| Role | Who acts with it | What it may do to others, and why |", "|---|---|---|")
    return "\n".join((*head, *map(_line, ROWS)))


def _line(row: Row) -> str:
    by_name: dict[str, list[str]] = {}
    for role in row.roles:
        target, _, name = role.partition(" ")
        by_name.setdefault(name, []).append(target)
    named = "<br>".join(f"`{name}` ({', '.join(found)})" for name, found in by_name.items())
    can = "<br>".join(f"{what}: {why}" for what, why in row.can.items()) or "nothing of the list"
    return f"| {named} | {row.user} | {can} |"


def _never() -> str:
    """What no role may do."""
    granted = {what for row in ROWS for what in row.can}
    never = [f"- {what}" for what in QUESTIONS if what not in granted]
    return "\n".join(("No role in the table may:", "", *never))

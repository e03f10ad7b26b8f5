"""What HyperPod needs of the foundation, where the region has it."""

from typing import Any

import pytest

from clustergen.base.text_lists import word_set, words
from tests.services.foundation.planned import template_of

ELSEWHERE = """region: eu-west-3
network: {zone: euw3-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]"""
KARPENTER = "kubernetes: {autoscaler: karpenter}"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"


def _statements(template: Any, role: str = "HyperPodExecutionRole") -> list[Any]:
    properties = template["Resources"][role]["Properties"]
    return list(properties["Policies"][0]["PolicyDocument"]["Statement"])


def _allowed(template: Any, role: str = "HyperPodExecutionRole") -> set[str]:
    of_bucket = ("OwnScripts", "OwnScriptsList")
    statements = [s for s in _statements(template, role) if s["Sid"] not in of_bucket]
    return {action for statement in statements for action in statement["Action"]}


# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
# (2026-11)
WITH_VPC = {
    f"ec2:{action}"
    for action in words("""
        CreateNetworkInterface CreateNetworkInterfacePermission DeleteNetworkInterface
        DeleteNetworkInterfacePermission DescribeNetworkInterfaces DescribeVpcs
        DescribeDhcpOptions DescribeSubnets DescribeSecurityGroups DetachNetworkInterface CreateTags
    """)
}
WITH_EKS = word_set("""
    ec2:AssignPrivateIpAddresses ec2:UnassignPrivateIpAddresses ec2:AttachNetworkInterface
    ec2:ModifyNetworkInterfaceAttribute ec2:DescribeInstances ec2:DescribeInstanceTypes
    ec2:DescribeTags ecr:BatchGetImage ecr:GetAuthorizationToken ecr:GetDownloadUrlForLayer
    eks-auth:AssumeRoleForPodIdentity
""")
POLICY = "arn:aws:iam::111122223333:policy/data"
EKS = "targets: {hyperpod-eks: {}}"
OF_LOGIN = f"login: {{iam: {{policies: ['{POLICY}']}}}}"
BOTH = "targets: {hyperpod-slurm: {}, hyperpod-eks: {}}\n" + OF_LOGIN


@pytest.mark.parametrize(
    ("fragment", "role", "with_eks"),
    [
        (EKS, "HyperPodExecutionRole", True),
        ("targets: {hyperpod-slurm: {}}", "HyperPodExecutionRole", False),
        # HyperPod could not give node groups that exist another role.
        (BOTH, "HyperPodExecutionRole", True),
        (BOTH, "HyperPodLoginRole", False),
    ],
)
def test_roles_have_the_documented_permissions(fragment: str, role: str, with_eks: bool) -> None:
    allowed = _allowed(template_of(fragment), role)
    assert allowed >= WITH_VPC
    only_eks = {action for action in WITH_EKS if not action.startswith("ecr:")}
    assert only_eks & allowed == (only_eks if with_eks else set())


DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{SECRET}'}}}}\n"


@pytest.mark.parametrize(
    ("fragment", "readers"),
    [
        ("", {"HyperPodHeadNodeRole"}),
        ("targets: {hyperpod-slurm: {leave_out: [controller-role]}}", {"HyperPodExecutionRole"}),
        ("head_node: {iam: {role: 'arn:aws:iam::111122223333:role/head'}}", set()),
        (EKS, set()),
    ],
)
def test_only_the_controller_reads_the_database_password(fragment: str, readers: set[str]) -> None:
    template = template_of(DATABASE + fragment)
    roles = {name for name in template["Resources"] if name.startswith("HyperPod")}
    secret = "secretsmanager:GetSecretValue"
    assert {role for role in roles if secret in _allowed(template, role)} == readers


EXISTING = "network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d]}"


@pytest.mark.parametrize(("text", "id"), [("{}", {"Ref": "Vpc"}), (EXISTING, "vpc-0a1b2c3d")])
def test_execution_roles_reach_interfaces_of_their_vpc_alone(text: str, id: Any) -> None:
    statements = _statements(template_of(text))
    free = {
        action
        for each in statements
        if "Condition" not in each and "network-interface" in str(each["Resource"])
        for action in each["Action"]
    }
    # What does not exist yet has no VPC; its subnet does, and is in the VPC.
    assert free == {"ec2:CreateNetworkInterface", "ec2:CreateTags"}
    [places] = [each for each in statements if each["Sid"] == "InterfacePlaces"]
    # Shared subnets are in the account of their owner.
    found = [each["Fn::Sub"].partition("${AWS::Region}:")[2] for each in places["Resource"]]
    assert found == ["*:subnet/*", "*:security-group/*"]
    _, values = places["Condition"]["ArnLike"]["ec2:Vpc"]["Fn::Sub"]
    assert values == {"Id": id}


@pytest.mark.parametrize(
    ("fragment", "action"),
    [
        ("software: {scripts: [{run: 's3://my-bucket/a.sh'}]}", "s3:GetObject"),
        ("storage: [{mount: /data, type: s3, bucket: s3://my-bucket}]", "s3:ListBucket"),
    ],
)
def test_more_only_where_the_spec_needs_it(fragment: str, action: str) -> None:
    assert action in _allowed(template_of(fragment))
    assert action not in _allowed(template_of("{}"))


@pytest.mark.parametrize(("name", "service"), [("Execution", ""), ("Cluster", "hyperpod.")])
def test_only_sagemaker_can_assume_the_roles(name: str, service: str) -> None:
    role = template_of(KARPENTER)["Resources"][f"HyperPod{name}Role"]["Properties"]
    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    sub = {"Fn::Sub": f"{service}sagemaker.${{AWS::URLSuffix}}"}
    assert statement["Principal"] == {"Service": sub}


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("{}", {"HyperPodExecutionRoleArn"}),
        (KARPENTER, {"HyperPodExecutionRoleArn", "HyperPodClusterRoleArn"}),
        (ELSEWHERE, set()),
    ],
)
def test_outputs(fragment: str, expected: set[str]) -> None:
    outputs = template_of(fragment)["Outputs"]
    assert {name for name in outputs if name.startswith("HyperPod")} == expected


@pytest.mark.parametrize(
    ("fragment", "name"),
    [
        ("name: example", None),
        (ELSEWHERE, None),
        ("name: my-SageMaker-x", {"Fn::Sub": "clustergen-f9e810-${AWS::AccountId}"}),
    ],
)
def test_the_name_of_a_new_bucket_lets_no_sagemaker_policy_write(fragment: str, name: Any) -> None:
    """AmazonSageMakerFullAccess allows to write to arn:aws:s3:::*sagemaker*."""
    bucket = template_of(fragment)["Resources"]["ScriptsBucket"]
    assert bucket["Properties"].get("BucketName") == name

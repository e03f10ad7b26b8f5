"""What HyperPod needs of the foundation, where the region has it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.foundation.planned import template_of

ELSEWHERE = """region: eu-west-3
network: {zone: euw3-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]"""
KARPENTER = "kubernetes: {autoscaler: karpenter}"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"


def _allowed(template: Any, role: str) -> set[str]:
    properties = template["Resources"][role]["Properties"]
    statements = properties["Policies"][0]["PolicyDocument"]["Statement"]
    return {action for statement in statements for action in statement["Action"]}


# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
# (2026-11)
WITH_VPC = {
    "ec2:CreateNetworkInterface",
    "ec2:CreateNetworkInterfacePermission",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteNetworkInterfacePermission",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeVpcs",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeSubnets",
    "ec2:DescribeSecurityGroups",
    "ec2:DetachNetworkInterface",
    "ec2:CreateTags",
}
WITH_EKS = {
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
    "ec2:AttachNetworkInterface",
    "ec2:ModifyNetworkInterfaceAttribute",
    "ec2:DescribeInstances",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeTags",
    "ecr:BatchGetImage",
    "ecr:GetAuthorizationToken",
    "ecr:GetDownloadUrlForLayer",
    "eks-auth:AssumeRoleForPodIdentity",
}


def test_the_execution_role_has_the_documented_permissions() -> None:
    assert _allowed(template_of("{}"), "HyperPodExecutionRole") >= WITH_VPC | WITH_EKS


@pytest.mark.parametrize(
    ("fragment", "action"),
    [
        ("software: {scripts: [{run: 's3://my-bucket/a.sh'}]}", "s3:GetObject"),
        ("storage: [{mount: /data, type: s3, bucket: s3://my-bucket}]", "s3:ListBucket"),
        (
            f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{SECRET}'}}}}",
            "secretsmanager:GetSecretValue",
        ),
    ],
)
def test_more_only_where_the_spec_needs_it(fragment: str, action: str) -> None:
    assert action in _allowed(template_of(fragment), "HyperPodExecutionRole")
    assert action not in _allowed(template_of("{}"), "HyperPodExecutionRole")


def test_only_sagemaker_can_assume_the_roles() -> None:
    resources = template_of(KARPENTER)["Resources"]
    services = {
        name: resources[name]["Properties"]["AssumeRolePolicyDocument"]["Statement"][0]["Principal"]
        for name in ("HyperPodExecutionRole", "HyperPodClusterRole")
    }
    assert services == {
        "HyperPodExecutionRole": {"Service": {"Fn::Sub": "sagemaker.${AWS::URLSuffix}"}},
        "HyperPodClusterRole": {"Service": {"Fn::Sub": "hyperpod.sagemaker.${AWS::URLSuffix}"}},
    }


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
    ("name", "start"),
    [
        ("example", "sagemaker-example-"),
        ("a" * 40, f"sagemaker-{'a' * 20}-"),
        (f"{'a' * 19}-b", f"sagemaker-{'a' * 19}-"),
    ],
)
def test_the_managed_policy_can_read_the_bucket(name: str, start: str) -> None:
    bucket = template_of(f"name: {name}")["Resources"]["ScriptsBucket"]["Properties"]
    text = bucket["BucketName"]["Fn::Sub"]
    assert text.startswith(start)
    assert "--" not in text
    assert len(text.replace("${AWS::AccountId}", "1" * 12)) <= 63


def test_clusters_with_similar_names_have_different_buckets() -> None:
    names = [
        template_of(f"name: {'a' * 20}{end}")["Resources"]["ScriptsBucket"]["Properties"]
        for end in ("-one", "-two")
    ]
    assert names[0]["BucketName"] != names[1]["BucketName"]


def test_without_hyperpod_cloudformation_names_the_bucket() -> None:
    assert "BucketName" not in template_of(ELSEWHERE)["Resources"]["ScriptsBucket"]["Properties"]

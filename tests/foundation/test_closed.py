"""A new VPC without a way to the internet: the endpoints that each target needs, and no NAT."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clustergen import foundation
from clustergen.words import word_set
from tests.checking import check_fragment
from tests.oracles.cloudformation import check, lint

CLOSED = """
network: {{internet: none}}
software: {{containers: {containers}}}
monitoring: {{metrics: {metrics}}}
targets: {{{targets}}}
{more}
"""
SESSIONS = "ssm ssmmessages ec2messages"
PARALLELCLUSTER = f"s3 dynamodb ec2 cloudformation logs {SESSIONS}"
DATABASE = """slurm:
  accounting:
    endpoint: slurm.cluster-abcdefghijkl.us-east-1.rds.amazonaws.com
    secret: "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
"""


def closed(targets: str, containers: str = "none", metrics: str = "none", more: str = "") -> str:
    return CLOSED.format(targets=targets, containers=containers, metrics=metrics, more=more)


def resources(text: str) -> dict[str, Any]:
    made: dict[str, Any] = template(text)["Resources"]
    return made


def template(text: str) -> dict[str, Any]:
    plan = next(iter(check_fragment(text).plans.values()))
    artifact = foundation.emit(plan)
    assert artifact is not None
    document: dict[str, Any] = json.loads(artifact.text)
    return document


def services(made: dict[str, Any], kind: str = "") -> set[str]:
    """The services that have endpoints."""
    return {
        endpoint["Properties"]["ServiceName"]["Fn::Sub"].partition("${AWS::Region}.")[2]
        for endpoint in made.values()
        if endpoint["Type"] == "AWS::EC2::VPCEndpoint"
        and kind in endpoint["Properties"]["VpcEndpointType"]
    }


EKS = f"s3 ec2 ecr.api ecr.dkr sts eks-auth {SESSIONS}"
FILES = """storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500}
  - {mount: /tools, type: efs}
"""
REGISTRY = "registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"


def kubernetes(targets: str, metrics: str = "none", more: str = "") -> str:
    text = closed(targets, metrics=metrics, more=more)
    return text.replace("{containers: none}", f"{{{REGISTRY}}}")


NEEDED = [
    (closed("parallelcluster: {}"), PARALLELCLUSTER),
    (
        closed("parallelcluster: {}", more="login: {}"),
        f"{PARALLELCLUSTER} elasticloadbalancing autoscaling",
    ),
    (closed("parallelcluster: {}", more=DATABASE), f"{PARALLELCLUSTER} secretsmanager"),
    (closed("pcs: {}"), f"s3 pcs logs {SESSIONS}"),
    (closed("pcs: {}", more="login: {}"), f"s3 pcs logs {SESSIONS}"),
    (closed("pcs: {}", "pyxis"), f"s3 pcs logs ecr.api ecr.dkr {SESSIONS}"),
    (
        closed("pcs: {}", metrics="managed-prometheus"),
        f"s3 pcs logs aps-workspaces {SESSIONS}",
    ),
    (closed("hyperpod-slurm: {}"), f"s3 ec2 sts logs monitoring {SESSIONS}"),
    (
        closed("batch: {}"),
        f"s3 ecs ecs-agent ecs-telemetry ecr.api ecr.dkr logs {SESSIONS}",
    ),
    (closed("pcs: {}, parallelcluster: {}"), f"{PARALLELCLUSTER} pcs"),
    (kubernetes("eks: {}"), EKS),
    (kubernetes("eks: {}", metrics="cloudwatch"), f"{EKS} monitoring logs"),
    (kubernetes("eks: {}", metrics="managed-prometheus"), EKS),
    (
        kubernetes("eks: {}", metrics="self-hosted, alerts: {email: [ops@example.com]}"),
        f"{EKS} sns",
    ),
    (kubernetes("eks: {}", more="kubernetes: {autoscaler: karpenter}"), f"{EKS} eks sqs"),
    (kubernetes("eks: {}", more=FILES), f"{EKS} fsx elasticfilesystem"),
    (kubernetes("hyperpod-eks: {}"), f"{EKS} logs monitoring eks sagemaker.api"),
    (
        kubernetes("hyperpod-eks: {}", metrics="managed-prometheus"),
        f"{EKS} logs monitoring aps-workspaces eks sagemaker.api",
    ),
]


@pytest.mark.parametrize(("text", "expected"), NEEDED)
def test_there_are_the_endpoints_that_the_targets_and_features_need(
    text: str, expected: str
) -> None:
    made = resources(text)
    assert services(made) == word_set(expected)
    assert services(made, "Gateway") == word_set(expected) & {"s3", "dynamodb"}


@pytest.mark.parametrize(("text", "_"), NEEDED[::3])
def test_validators_accept_the_template(text: str, _: str) -> None:
    document = template(text)
    assert check(document, "us-east-1") == []
    assert lint({"closed": json.dumps(document)}, ["us-east-1"]) == []


def test_nothing_leads_to_the_internet() -> None:
    document = template(closed("pcs: {}"))
    types = {resource["Type"] for resource in document["Resources"].values()}
    assert not types & {
        *("AWS::EC2::InternetGateway", "AWS::EC2::VPCGatewayAttachment", "AWS::EC2::NatGateway"),
        *("AWS::EC2::EIP", "AWS::EC2::Route"),
    }
    assert "PublicSubnet" not in json.dumps(document)


def test_endpoints_let_the_vpc_in_and_take_over_the_names_of_services() -> None:
    made = resources(closed("pcs: {}"))
    pcs = made["PcsEndpoint"]["Properties"]
    assert pcs["PrivateDnsEnabled"] is True
    assert pcs["SubnetIds"] == [{"Ref": "PrivateSubnet"}]
    assert pcs["SecurityGroupIds"] == [{"Fn::GetAtt": ["EndpointSecurityGroup", "GroupId"]}]
    (rule,) = made["EndpointSecurityGroup"]["Properties"]["SecurityGroupIngress"]
    assert (rule["FromPort"], rule["ToPort"], rule["CidrIp"]) == (443, 443, "10.42.0.0/16")
    assert made["S3Endpoint"]["Properties"]["RouteTableIds"] == [{"Ref": "PrivateRoutes"}]


def test_china_has_names_of_its_own() -> None:
    text = closed("parallelcluster: {}").replace("{internet", "{zone: cnn1-az1, internet")
    made = resources(f"region: cn-north-1{text}")
    names = {
        name: made[f"{name}Endpoint"]["Properties"]["ServiceName"]["Fn::Sub"]
        for name in ("Ec2", "Logs")
    }
    assert names == {
        "Ec2": "cn.com.amazonaws.${AWS::Region}.ec2",
        "Logs": "com.amazonaws.${AWS::Region}.logs",
    }


def test_an_existing_vpc_gets_nothing() -> None:
    vpc = "vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890], internet"
    made = resources(closed("pcs: {}").replace("{internet", f"{{zone: use1-az6, {vpc}"))
    assert not services(made)
    assert "EndpointSecurityGroup" not in made

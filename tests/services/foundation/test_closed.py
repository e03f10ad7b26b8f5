"""A new VPC without a way to the internet: the endpoints that each target needs, and no NAT."""

import json
from typing import Any

import pytest

from clustergen.base.text_lists import word_set
from tests.services.foundation.planned import template_of
from tests.validators.cloudformation import check, lint

CLOSED = """
network: {{internet: none}}
software: {{containers: {containers}}}
monitoring: {{metrics: {metrics}}}
targets: {{{targets}}}
{more}
"""
SESSIONS = "ssm ssmmessages ec2messages"
PC = f"s3 dynamodb ec2 cloudformation logs {SESSIONS}"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{SECRET}'}}}}"


def closed(targets: str, containers: str = "none", metrics: str = "none", more: str = "") -> str:
    return CLOSED.format(targets=targets, containers=containers, metrics=metrics, more=more)


PARALLEL = closed("parallelcluster: {}")
PCS = closed("pcs: {}")


def resources(text: str) -> Any:
    return template_of(text)["Resources"]


def services(made: dict[str, Any], kind: str = "") -> set[str]:
    """The services that have endpoints."""
    return {
        endpoint["Properties"]["ServiceName"]["Fn::Sub"].partition("${AWS::Region}.")[2]
        for endpoint in made.values()
        if endpoint["Type"] == "AWS::EC2::VPCEndpoint"
        and kind in endpoint["Properties"]["VpcEndpointType"]
    }


EKS = f"s3 ec2 ecr.api ecr.dkr sts eks-auth {SESSIONS}"
OF_HYPERPOD = f"{EKS} logs eks sagemaker.api"
AMP = "managed-prometheus"
ALERTS = "alerts: {email: [ops@example.com]}"
FILES = """storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500}
  - {mount: /tools, type: efs}
"""
REGISTRY = "registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"


def kubernetes(targets: str, metrics: str = "none", more: str = "") -> str:
    text = closed(targets, metrics=metrics, more=more)
    return text.replace("{containers: none}", f"{{{REGISTRY}}}")


NEEDED = [
    (PARALLEL, PC),
    (closed("parallelcluster: {}", more="login: {}"), f"{PC} elasticloadbalancing autoscaling"),
    (closed("parallelcluster: {}", more=DATABASE), f"{PC} secretsmanager"),
    (PCS, f"s3 pcs logs {SESSIONS}"),
    (closed("pcs: {}", more="login: {}"), f"s3 pcs logs {SESSIONS}"),
    (closed("pcs: {}", "pyxis"), f"s3 pcs logs ecr.api ecr.dkr {SESSIONS}"),
    (closed("pcs: {}", metrics=AMP), f"s3 pcs logs aps-workspaces {SESSIONS}"),
    (closed("hyperpod-slurm: {}"), f"s3 ec2 sts logs monitoring {SESSIONS}"),
    (closed("batch: {}"), f"s3 ecs ecs-agent ecs-telemetry ecr.api ecr.dkr logs {SESSIONS}"),
    (closed("pcs: {}, parallelcluster: {}"), f"{PC} pcs"),
    (kubernetes("eks: {}"), EKS),
    (kubernetes("eks: {}", metrics="cloudwatch"), f"{EKS} monitoring logs"),
    (kubernetes("eks: {}", metrics="none, dashboards: cloudwatch"), f"{EKS} monitoring logs"),
    (kubernetes("eks: {}", metrics=AMP), EKS),
    (kubernetes("eks: {}", metrics=f"self-hosted, {ALERTS}"), f"{EKS} sns"),
    (kubernetes("eks: {}", more="kubernetes: {autoscaler: karpenter}"), f"{EKS} eks sqs"),
    (kubernetes("eks: {}", more=FILES), f"{EKS} fsx elasticfilesystem"),
    (kubernetes("hyperpod-eks: {}"), f"{OF_HYPERPOD} monitoring"),
    (kubernetes("hyperpod-eks: {}", metrics=AMP), f"{OF_HYPERPOD} monitoring aps-workspaces"),
]


@pytest.mark.parametrize(("text", "expected"), NEEDED)
def test_endpoints_are_those_that_targets_and_features_need(text: str, expected: str) -> None:
    made = resources(text)
    assert services(made) == word_set(expected)
    assert services(made, "Gateway") == word_set(expected) & {"s3", "dynamodb"}


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("text", "_"), NEEDED)
def test_validators_accept_the_template(text: str, _: str) -> None:
    document = template_of(text)
    assert check(document, "us-east-1") == []
    assert lint({"closed": json.dumps(document)}, ["us-east-1"]) == []


OUTWARD = word_set("InternetGateway VPCGatewayAttachment NatGateway EIP Route")


def test_nothing_leads_to_the_internet() -> None:
    document = template_of(PCS)
    types = {resource["Type"] for resource in document["Resources"].values()}
    assert not types & {f"AWS::EC2::{name}" for name in OUTWARD}
    assert "PublicSubnet" not in json.dumps(document)


def test_endpoints_let_the_vpc_in_and_take_over_the_names_of_services() -> None:
    made = resources(PCS)
    pcs = made["PcsEndpoint"]["Properties"]
    assert pcs["PrivateDnsEnabled"] is True
    assert pcs["SubnetIds"] == [{"Ref": "PrivateSubnet"}]
    assert pcs["SecurityGroupIds"] == [{"Fn::GetAtt": ["EndpointSecurityGroup", "GroupId"]}]
    (rule,) = made["EndpointSecurityGroup"]["Properties"]["SecurityGroupIngress"]
    assert (rule["FromPort"], rule["ToPort"], rule["CidrIp"]) == (443, 443, "10.42.0.0/16")
    assert made["S3Endpoint"]["Properties"]["RouteTableIds"] == [{"Ref": "PrivateRoutes"}]


@pytest.mark.parametrize(("name", "start"), [("Ec2", "cn.com"), ("Logs", "com")])
def test_china_has_names_of_its_own(name: str, start: str) -> None:
    text = PARALLEL.replace("{internet", "{zone: cnn1-az1, internet")
    endpoint = resources(f"region: cn-north-1{text}")[f"{name}Endpoint"]["Properties"]
    of = {"Fn::Sub": f"{start}.amazonaws.${{AWS::Region}}.{name.lower()}"}
    assert endpoint["ServiceName"] == of


def test_an_existing_vpc_gets_nothing() -> None:
    vpc = "vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890], internet"
    made = resources(PCS.replace("{internet", f"{{zone: use1-az6, {vpc}"))
    assert not services(made)
    assert "EndpointSecurityGroup" not in made

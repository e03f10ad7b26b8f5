"""Real clients, and moto's answers: codes of errors, timestamps and pages as on the wire."""

from collections.abc import Iterator
from typing import Any

import pytest

from clustergen import targets
from clustergen.base import account
from clustergen.base.account import Missing
from clustergen.base.findings import Finding
from clustergen.checking import preflight
from tests.checking.preflight.account import OWNER, Account
from tests.checking.preflight.test_accounts import NOW
from tests.checking.preflight.test_rules import Spec, planned
from tests.support.tiers import IN_REAL

pytestmark = IN_REAL
REGION = "us-east-1"


@pytest.fixture(scope="module")
def clients() -> Iterator[Any]:
    """Clients of an empty account."""
    from moto import mock_aws

    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setenv("AWS_ACCESS_KEY_ID", "a")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        patch.setenv("MOTO_ACCOUNT_ID", OWNER)
        account._session.cache_clear()
        yield account.clients
    account._session.cache_clear()


def network(clients: Any) -> dict[str, str]:
    """A VPC with a private subnet and a security group, all as they have to be."""
    ec2 = clients("ec2", REGION)
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.20.64.0/18", AvailabilityZone="us-east-1a")[
        "Subnet"
    ]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    member = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=member)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=member)
    return {
        "vpc": vpc,
        "subnet": subnet["SubnetId"],
        "zone": subnet["AvailabilityZoneId"],
        "group": group,
    }


SPEC = """\
version: 1
name: example
region: us-east-1
network:
  vpc: {vpc}
  zone: {zone}
  cidr: 10.20.0.0/16
  private_subnets: [{{id: {subnet}, cidr: 10.20.64.0/18}}]
  security_groups: [{group}]
node_groups: [{{name: h200, instance_type: p5en.48xlarge, count: 2}}]
software: {{scripts: [{{run: "s3://example-setup/nodes.sh"}}]}}
"""


WITHOUT = ("pcs", "service-quotas")
"""Services that moto does not have, or only in part."""
LACKS = ("get_allowed_images_settings", "get_ebs_default_kms_key_id")
"""Operations that moto lacks."""


def look(clients: Any, text: str) -> list[Finding]:
    plan = planned(Spec(text, "pcs"))
    stub = Account(plan)

    def client(service: str, region: str) -> Any:
        stubbed = stub.clients(service, region)
        made = stubbed if service in WITHOUT else clients(service, region)
        for operation in LACKS if service == "ec2" else ():
            setattr(made, operation, getattr(stubbed, operation))
        return made

    asked = preflight.Account(REGION, client)
    return preflight.run(plan, targets.load("pcs").traits, asked, NOW, lambda *_: None)


def test_a_network_that_is_right_and_what_is_missing(clients: Any) -> None:
    given = network(clients)
    found = {f.code for f in look(clients, SPEC.format_map(given))}
    assert found == {"PRE043", "PRE065", "PRE074"}
    clients("s3", REGION).create_bucket(Bucket="example-setup")
    assert "PRE065" not in {f.code for f in look(clients, SPEC.format_map(given))}


@pytest.mark.parametrize(
    ("field", "id", "code"),
    [
        ("vpc", "vpc-0a1b2c3d4e5f60001", "PRE040"),
        ("subnet", "subnet-0a1b2c3d4e5f60001", "PRE041"),
        ("group", "sg-0a1b2c3d4e5f60001", "PRE050"),
    ],
)
def test_an_id_that_does_not_exist(clients: Any, field: str, id: str, code: str) -> None:
    assert code in {f.code for f in look(clients, SPEC.format_map({**network(clients), field: id}))}


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("ec2:DescribeVpcAttribute", {"VpcId": "vpc-1", "Attribute": "enableDnsSupport"}),
        ("cloudformation:DescribeStacks", {"StackName": "example"}),
        ("iam:GetRole", {"RoleName": "example"}),
        ("iam:GetInstanceProfile", {"InstanceProfileName": "example"}),
        ("iam:GetUser", {"UserName": "example"}),
        ("eks:DescribeCluster", {"name": "example"}),
        ("sagemaker:DescribeCluster", {"ClusterName": "example"}),
        ("efs:DescribeFileSystems", {"FileSystemId": "fs-0a1b2c3d4e5f60001"}),
        ("secretsmanager:DescribeSecret", {"SecretId": "example"}),
        ("kms:DescribeKey", {"KeyId": "0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"}),
        ("s3:HeadBucket", {"Bucket": "nobody-has-this-bucket"}),
        ("sns:GetTopicAttributes", {"TopicArn": f"arn:aws:sns:{REGION}:{OWNER}:example"}),
        ("amp:DescribeWorkspace", {"workspaceId": "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"}),
        ("service-quotas:GetServiceQuota", {"ServiceCode": "ec2", "QuotaCode": "L-1"}),
    ],
)
def test_what_does_not_exist_is_missing(clients: Any, call: str, arguments: dict[str, str]) -> None:
    """Services say so in different ways, none of which is an error of preflight."""
    with pytest.raises(Missing):
        account.ask(clients(call.partition(":")[0], REGION), call, **arguments)

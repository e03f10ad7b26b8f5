"""Problems and answers beyond the examples of the rules, and what a service leaves open."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.base.text_lists import words
from clustergen.plan import quotas
from tests.checking.preflight.account import NODES_GROUP, OWNER, Account
from tests.checking.preflight.test_accounts import look
from tests.checking.preflight.test_rules import (
    BASE,
    CLOSED,
    DATED,
    EKS,
    EXISTING,
    IMAGED,
    KEYED,
    LUSTRE,
    NEW_CLOSED,
    OF_PCS,
    PC,
    PRIVATE,
    PROFILE,
    Spec,
    planned,
    seen,
    spec,
)
from tests.checking.preflight.test_rules import PLANNED as TRAINING
from tests.support.checking import EXAMPLES
from tests.support.tables import flow

ARN = f"arn:aws:iam::{OWNER}:"
IMAGES = "ec2:DescribeImages"
CR = "ec2:DescribeCapacityReservations"
PLAN = "sagemaker:DescribeTrainingPlan"
ROUTES = "ec2:DescribeRouteTables"
RULES = "ec2:DescribeSecurityGroupRules"
STACKS = "cloudformation:DescribeStacks"
POLICY = "efs:DescribeFileSystemPolicy"
QUOTA = "service-quotas:GetServiceQuota"


NETWORK = """network:
  {vpc: vpc-0a1b2c3d4e5f60001, zone: use1-az6, cidr: 10.20.0.0/16,
   private_subnets: [{id: subnet-0a1b2c3d4e5f60002, cidr: 10.20.64.0/18}],
   security_groups: [sg-0a1b2c3d4e5f60003]}"""


def efs_allows(action: str, condition: object = ()) -> dict[str, str]:
    """A policy for clients without IAM."""
    found = {"Effect": "Allow", "Principal": "*", "Action": [action], "Condition": condition}
    return {"Policy": json.dumps({"Statement": [found]})}


def group(capacity: str, target: str) -> Spec:
    """The example spec with a purchase option."""
    return spec(target, count=f"count: 2, capacity: {{{capacity}}}}}")


BLOCK = group("capacity_block: cr-0a1b2c3d4e5f60004", "pcs")
ODCR = group("reservation: cr-0a1b2c3d4e5f60004", "pcs")
PLACED = group("reservation: cr-0a1b2c3d4e5f60004}, placement: {group: theirs", "pcs")
OVER = group(
    "reservation: cr-0a1b2c3d4e5f60004, starts: 2026-11-01T00:00:00Z, ends: 2026-11-21T11:30:00Z",
    "pcs",
)
LENT = group("interruptible_reservation: cr-0a1b2c3d4e5f60004", "pcs")
POOL = group(
    f"reservation_group: 'arn:aws:resource-groups:us-east-1:{OWNER}:group/reserved'",
    "parallelcluster",
)


def existing(text: str, other: str) -> Spec:
    """The spec of what exists with another text in a text's place."""
    assert text in EXISTING
    return Spec(EXISTING.replace(text, other), "parallelcluster")


PROFILED = existing(
    "{role: arn:aws:iam::111122223333:role/nodes}", f"{{instance_profile: '{PROFILE}'}}"
)


def _roles(path: str, name: str) -> dict[str, Any]:
    """An instance profile with a role of this path and name."""
    role: dict[str, Any] = {"Path": path, "RoleName": name, "RoleId": "AROAEXAMPLEEXAMPLE"}
    role |= {"Arn": f"{ARN}role{path}{name}", "CreateDate": datetime(2020, 1, 1, tzinfo=UTC)}
    return {"Roles": [role]}


ADMINS = spec("eks", f"kubernetes: {{admins: ['{ARN}user/ada']}}")
STRANGERS = spec("eks", "kubernetes: {admins: ['arn:aws:iam::999999999999:role/ada']}")
JOINED = Spec(EXAMPLES["pcs-existing-cluster"].read_text(), "pcs")
BATCH = spec("batch", "queues: [{name: train, node_groups: [h200]}]")
CACHE = existing("type: fsx-lustre, existing: {id: fs-", "type: file-cache, existing: {id: fc-")
SNAPSHOT = existing(
    "existing: {id: vol-0a1b2c3d4e5f60009}", "size: 100GiB, snapshot: snap-0a1b2c3d4e5f60009"
)
LINKED = spec("pcs", LUSTRE % ", data_repositories: [{path: /data, s3: s3://example-corpus}]")
SERVICES = "ec2:DescribeVpcEndpointServices"
SERVED = [
    {"ServiceName": f"com.amazonaws.us-east-1.{name}", "AvailabilityZones": ["us-east-1a"]}
    for name in ("s3", "ec2messages", "logs", "pcs", "ssm", "ssmmessages")
]
PLAIN = spec("pcs", text=EXAMPLE_BASE.replace("p5en.48", "c7i.4"), network=NETWORK)


def endpoint(service: str, **fields: Any) -> Mapping[str, Any]:
    name = f"com.amazonaws.us-east-1.{service}"
    made = {"VpcEndpointId": f"vpce-{service}", "ServiceName": name}
    return made | {"VpcEndpointType": "Interface", "State": "Available"} | fields


NO_ROUTE = {ROUTES: {"Routes": [{"GatewayId": "vpce-s3"}, {"GatewayId": "vpce-dynamodb"}]}}
_USED = [*map(endpoint, words("ssm ssmmessages ec2messages secretsmanager aps-workspaces"))]
ENDPOINTS = [
    endpoint("s3", VpcEndpointType="Gateway", State="available"),
    endpoint("dynamodb", VpcEndpointType="Gateway"),
    *map(endpoint, ("ec2", "cloudformation", "logs")),
]

OUT = {"DestinationCidrBlock": "0.0.0.0/0"}
MAIN = {"RouteTableId": "rtb-1", "VpcId": "vpc-0a1b2c3d4e5f60001", "Associations": [{"Main": True}]}
FSX_RULES = [
    {"GroupId": "sg-1", "IpProtocol": "tcp", "FromPort": a, "ToPort": b, "CidrIpv4": "10.0.0.0/8"}
    for a, b in ((988, 988), (1018, 1023), (2049, 2049))
]
_MEMBER = {"GroupId": "sg-0a1b2c3d4e5f60003"}
_AMONG = {**_MEMBER, "IpProtocol": "-1", "ReferencedGroupInfo": _MEMBER}
MEMBERS: list[dict[str, Any]] = [{**_AMONG, "IsEgress": egress} for egress in (False, True)]
OPEN = [{**rule, "ReferencedGroupInfo": {}, "CidrIpv4": "0.0.0.0/0"} for rule in MEMBERS]

ALL_TCP = [{**rule, "IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535} for rule in MEMBERS]
STRANGERS_ONLY = [{**rule, "ReferencedGroupInfo": {"GroupId": "sg-1"}} for rule in MEMBERS]

UNLIMITED = flow("""
{CapacityReservationId: cr-0a1b2c3d4e5f60004, State: active, InstanceType: p5en.48xlarge,
  TotalInstanceCount: 2, AvailableInstanceCount: 2, StartDate: 2026-11-01T00:00:00Z}
""")

GROUP = f"arn:aws:ec2:us-east-1:{OWNER}:placement-group/theirs"
KEY, EBS_KEY = "kms:DescribeKey", "ec2:GetEbsDefaultKmsKeyId"
USAGE, ALLOWED = "cloudwatch:GetMetricStatistics", "ec2:GetAllowedImagesSettings"
ROLED = spec("hyperpod-slurm", group=f"{{name: h200, iam: {{role: '{ARN}role/nodes'}},")
LARGE = spec("pcs", (LUSTRE % ", throughput: 125").replace("4800", "412800"))


def trust(service: str, effect: str = "Allow") -> str:
    """A trust policy."""
    statement = {"Effect": effect, "Principal": {"Service": [service]}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def point(used: float, hour: int = 22) -> dict[str, Any]:
    """A measurement of the evening before."""
    return {"Timestamp": datetime(2026, 11, 21, hour, tzinfo=UTC), "Maximum": float(used)}


def only(**criterion: list[str]) -> dict[str, Any]:
    """Settings that allow images that meet this criterion."""
    return {"ImageCriteria": [criterion]}


SCHEDULED = {"State": "scheduled", "TotalInstanceCount": 0}
REQUESTED = "aws:ec2capacityreservation:incrementalRequestedQuantity"
DEFAULT = "service-quotas:GetAWSDefaultServiceQuota"
TRUST = "AssumeRolePolicyDocument"
GONE = {"State": "blackhole"}
THEIR_QUEUE = flow("""
{jobQueueName: example-train, jobQueueArn: '-', state: ENABLED, priority: 1,
  computeEnvironmentOrder: []}
""")
# spec, what is wrong, the codes that are found
CASES: list[tuple[Spec, dict[str, Any], set[str]]] = [
    # Reserved capacity: every kind, and every state.
    (ODCR, {}, set()),
    # What a reservation is for.
    (ODCR, {CR: {"Tenancy": "dedicated"}}, {"PRE037"}),
    (ODCR, {CR: {"InstancePlatform": "Red Hat Enterprise Linux"}}, {"PRE037"}),
    (ODCR, {CR: {"PlacementGroupArn": GROUP}}, {"PRE037"}),
    (ODCR, {CR: {"Tenancy": "default", "InstancePlatform": "Linux/UNIX"}}, set()),
    (PLACED, {CR: {"PlacementGroupArn": GROUP}}, set()),
    (PLACED, {}, {"PRE037"}),
    # Keys: what they are for, and that of volumes without one.
    (KEYED, {KEY: {"KeyMetadata": {"KeyUsage": "SIGN_VERIFY", "KeySpec": "RSA_2048"}}}, {"PRE072"}),
    (KEYED, {KEY: {"KeyMetadata": {"KeySpec": "RSA_4096"}}}, {"PRE072"}),
    (PLAIN, {EBS_KEY: {"KmsKeyId": "arn:aws:kms:us-east-1:111122223333:key/0a1b"}}, set()),
    (PLAIN, {EBS_KEY: {"KmsKeyId": "0a1b"}, KEY: "NotFoundException"}, {"PRE079"}),
    (PLAIN, {KEY: "NotFoundException"}, set()),
    (PLAIN, {EBS_KEY: "UnauthorizedOperation"}, {"PRE004"}),
    (TRAINING, {EBS_KEY: {"KmsKeyId": "0a1b"}, KEY: "NotFoundException"}, set()),
    # Trust policies of roles and of the roles of instance profiles.
    (PC, {"iam:GetRole": {"AssumeRolePolicyDocument": trust("ec2.amazonaws.com")}}, set()),
    (PC, {"iam:GetRole": {"AssumeRolePolicyDocument": trust("ec2.amazonaws.com.cn")}}, set()),
    (PC, {"iam:GetRole": {"AssumeRolePolicyDocument": quote(trust("ec2.amazonaws.com"))}}, set()),
    (PC, {"iam:GetRole": {"AssumeRolePolicyDocument": trust("eks.amazonaws.com")}}, {"PRE092"}),
    (PC, {"iam:GetRole": {TRUST: trust("ec2.amazonaws.com", "Deny")}}, {"PRE092"}),
    (ROLED, {"iam:GetRole": {"AssumeRolePolicyDocument": trust("ec2.amazonaws.com")}}, {"PRE092"}),
    (ROLED, {"iam:GetRole": {"AssumeRolePolicyDocument": trust("sagemaker.amazonaws.com")}}, set()),
    # Quotas: of storage, and what is in use.
    (KEYED, {QUOTA: {"Value": 20000, "UsageMetric": {"MetricName": ""}}}, set()),
    (LARGE, {QUOTA: {"Value": 100800, "UsageMetric": {"MetricName": ""}}}, {"PRE024"}),
    (BASE, {USAGE: [point(999_990, 23), point(1)]}, {"PRE025"}),
    (BASE, {USAGE: [point(1, 23), point(999_990)]}, set()),
    (BASE, {USAGE: []}, set()),
    (BASE, {USAGE: "AccessDenied"}, {"PRE004"}),
    (BASE, {QUOTA: {"UsageMetric": {"MetricName": ""}}, USAGE: [point(999_990)]}, set()),
    # Images of the services.
    (BASE, {ALLOWED: {"State": "audit-mode", "ImageCriteria": []}}, set()),
    (BASE, {ALLOWED: {"State": "enabled"}}, {"PRE093"}),
    (BASE, {ALLOWED: {"State": "enabled", **only(ImageProviders=[OWNER])}}, {"PRE093"}),
    (BASE, {ALLOWED: {"State": "enabled", **only(ImageNames=["a*"])}}, set()),
    (BASE, {ALLOWED: "UnauthorizedOperation"}, {"PRE004"}),
    # What the name, description and tags of an image tell.
    (IMAGED, {IMAGES: {"Description": "Slurm: 25.05, 25.11, 26.05"}}, set()),
    (IMAGED, {IMAGES: {"Description": "Slurm: 24.11, 25.05"}}, {"PRE091"}),
    (IMAGED, {IMAGES: {"Tags": [{"Key": "Slurm", "Value": "25.05.3"}]}}, {"PRE091"}),
    (IMAGED, {IMAGES: {"Tags": [{"Key": "pcs-agent", "Value": "v1.1.1-1"}]}}, {"PRE091"}),
    (IMAGED, {IMAGES: {"Tags": [{"Key": "PCS Agent version", "Value": "1.10.0"}]}}, set()),
    # Its end in the spec is over; EC2 keeps it until it is cancelled.
    (OVER, {CR: [UNLIMITED]}, {"PRE035"}),
    (OVER, {}, {"PRE035"}),
    (LENT, {}, set()),
    (POOL, {}, set()),
    (TRAINING, {}, set()),
    (BLOCK, {CR: []}, {"PRE030"}),
    (BLOCK, {CR: "InvalidCapacityReservationId.NotFound"}, {"PRE030"}),
    (BLOCK, {CR: "InvalidCapacityReservationId.Malformed"}, {"PRE030"}),
    (BLOCK, {CR: {"State": "payment-failed"}}, {"PRE030"}),
    (BLOCK, {CR: {"State": "payment-pending"}}, {"PRE030"}),
    (BLOCK, {CR: {"State": "unavailable"}}, {"PRE030"}),
    (BLOCK, {CR: {"State": "cancelled"}}, {"PRE030"}),
    (POOL, {"resource-groups:ListGroupResources": []}, {"PRE030"}),
    (POOL, {"resource-groups:ListGroupResources": "NotFoundException"}, {"PRE030"}),
    (POOL, {CR: {"InstanceType": "p4d.24xlarge"}}, {"PRE032"}),
    (TRAINING, {PLAN: "ResourceNotFound"}, {"PRE030"}),
    (TRAINING, {PLAN: {"ReservedCapacitySummaries": []}}, {"PRE030"}),
    (ODCR, {CR: {"ReservationType": "capacity-block"}}, {"PRE031"}),
    (ODCR, {CR: {"Interruptible": True}}, {"PRE031"}),
    (LENT, {CR: {"Interruptible": False}}, {"PRE031"}),
    (ODCR, {CR: {"AvailableInstanceCount": 1}}, {"PRE034"}),
    (DATED, {CR: {"StartDate": datetime(2020, 2, 1, tzinfo=UTC)}}, {"PRE036"}),
    # A block before its begin says its size in a tag, or not at all.
    (BLOCK, {CR: {**SCHEDULED, "AvailableInstanceCount": 0}}, set()),
    (BLOCK, {CR: {**SCHEDULED, "Tags": [{"Key": REQUESTED, "Value": "1"}]}}, {"PRE034"}),
    (ODCR, {CR: {**SCHEDULED, "CommitmentInfo": {"CommittedInstanceCount": 1}}}, {"PRE034"}),
    # Quotas: without an applied value the default counts; without both, nothing follows.
    (BASE, {QUOTA: "NoSuchResourceException"}, set()),
    (BASE, {QUOTA: "NoSuchResourceException", DEFAULT: {"Value": 5.0}}, {"PRE020", "PRE022"}),
    (BASE, dict.fromkeys((QUOTA, DEFAULT), "NoSuchResourceException"), set()),
    (TRAINING, {"service-quotas:ListServiceQuotas": []}, set()),
    # Routes.
    (PRIVATE, {ROUTES: []}, set()),
    (PRIVATE, {ROUTES: {"Routes": [{**OUT, "NatGatewayId": "n", **GONE}]}}, {"PRE043"}),
    (PRIVATE, {ROUTES: {"Routes": [{**OUT, "TransitGatewayId": "tgw-1"}]}}, set()),
    (PRIVATE, {ROUTES: {"Routes": []}}, {"PRE043"}),
    (PRIVATE, {**NO_ROUTE, "ec2:DescribeVpcEndpoints": ENDPOINTS}, set()),
    (PRIVATE, {**NO_ROUTE, "ec2:DescribeVpcEndpoints": ENDPOINTS[:-1]}, {"PRE043"}),
    # Where the spec has no internet, what the cluster uses counts, such as Session Manager.
    (CLOSED, {**NO_ROUTE, "ec2:DescribeVpcEndpoints": ENDPOINTS}, {"PRE043"}),
    # A service is not in the region; an answer without ids of zones says nothing about them.
    (NEW_CLOSED, {SERVICES: SERVED[:-1]}, {"PRE045"}),
    (NEW_CLOSED, {SERVICES: SERVED}, set()),
    (CLOSED, {**NO_ROUTE, "ec2:DescribeVpcEndpoints": [*ENDPOINTS, *_USED]}, set()),
    (PRIVATE, {ROUTES: {"Routes": []}, "ec2:DescribeVpcEndpoints": ENDPOINTS}, {"PRE043"}),
    (PC, {ROUTES: [{**MAIN, "Routes": [{**OUT, "NatGatewayId": "nat-1"}]}]}, {"PRE043"}),
    # Security groups: EFA needs rules that name the group, others are content with addresses.
    (PC, {RULES: [*OPEN, *FSX_RULES]}, {"PRE051"}),
    (PC, {RULES: [*MEMBERS, *FSX_RULES]}, set()),
    (PC, {RULES: [*MEMBERS[:1], *FSX_RULES]}, {"PRE051"}),
    (PC, {RULES: [*STRANGERS_ONLY, *FSX_RULES]}, {"PRE051"}),
    (PLAIN, {RULES: [*OPEN, *FSX_RULES]}, set()),
    (PLAIN, {RULES: [*ALL_TCP, *FSX_RULES]}, set()),
    (PLAIN, {RULES: [*STRANGERS_ONLY, *FSX_RULES]}, {"PRE051"}),
    (PC, {"ec2:DescribeSecurityGroups": []}, {"PRE050"}),
    # File systems and volumes.
    (PC, {"fsx:DescribeFileSystems": "FileSystemNotFound"}, {"PRE060"}),
    (PC, {"fsx:DescribeFileSystems": []}, {"PRE060"}),
    (PC, {"fsx:DescribeFileSystems": {"FileSystemType": "OPENZFS"}}, {"PRE060"}),
    (PC, {"efs:DescribeFileSystems": "FileSystemNotFound"}, {"PRE060"}),
    (PC, {"efs:DescribeMountTargets": {"LifeCycleState": "creating"}}, {"PRE064"}),
    (PC, {POLICY: "PolicyNotFound"}, set()),
    (PC, {POLICY: efs_allows("elasticfilesystem:Client*")}, set()),
    (PC, {POLICY: efs_allows("elasticfilesystem:ClientWrite")}, {"PRE068"}),
    (PC, {POLICY: efs_allows("*", "elasticfilesystem:AccessPointArn")}, {"PRE068"}),
    (PC, {"ec2:DescribeVolumes": {"AvailabilityZone": "us-east-1a"}}, {"PRE067"}),
    (SNAPSHOT, {"ec2:DescribeSnapshots": []}, {"PRE067"}),
    (CACHE, {}, set()),
    (CACHE, {"fsx:DescribeFileCaches": "FileCacheNotFound"}, {"PRE060"}),
    # A linked bucket has to be in the region, others only should.
    (LINKED, {"s3:HeadBucket": {"BucketRegion": "eu-west-1"}}, {"PRE066"}),
    (LINKED, {"s3:HeadBucket": "301"}, set()),
    # Who may do what.
    (PROFILED, {"iam:GetInstanceProfile": "NoSuchEntity"}, {"PRE073"}),
    (OF_PCS, {"iam:GetInstanceProfile": _roles("/team/aws-pcs/", "nodes")}, set()),
    (PROFILED, {"iam:GetInstanceProfile": _roles("/", "nodes")}, set()),
    (ADMINS, {"iam:GetUser": "NoSuchEntity"}, {"PRE073"}),
    (STRANGERS, {"iam:GetRole": "NoSuchEntity"}, {"PRE074"}),
    # Names.
    (BASE, {STACKS: {"StackStatus": "ROLLBACK_COMPLETE"}}, set()),
    (BASE, {STACKS: {"StackStatus": "DELETE_COMPLETE"}}, set()),
    (BASE, {STACKS: {"StackStatus": "DELETE_FAILED"}}, {"PRE080"}),
    (BASE, {STACKS: {"StackStatus": "UPDATE_IN_PROGRESS"}}, {"PRE080"}),
    (PC, {STACKS: {"Tags": []}}, {"PRE081"}),
    (JOINED, {"pcs:ListComputeNodeGroups": {"name": "other"}}, set()),
    (JOINED, {"pcs:ListComputeNodeGroups": {"name": "h200"}}, {"PRE081"}),
    (JOINED, {"pcs:ListQueues": {"name": "h200"}}, {"PRE081"}),
    (EKS, {"eks:DescribeCluster": {"name": "example"}}, {"PRE081"}),
    (BATCH, {"batch:DescribeJobQueues": [THEIR_QUEUE]}, {"PRE081"}),
    # EKS.
    (EKS, {"eks:DescribeClusterVersions": {"versionStatus": "EXTENDED_SUPPORT"}}, {"PRE085"}),
    (EKS, {"eks:DescribeClusterVersions": {"versionStatus": "UNSUPPORTED"}}, {"PRE085"}),
]


@pytest.mark.parametrize(
    ("spec", "wrong", "codes"),
    CASES,
    ids=[
        f"{number}-{'-'.join(sorted(found)) or 'right'}" for number, (*_, found) in enumerate(CASES)
    ],
)
def test_what_is_found(spec: Spec, wrong: dict[str, Any], codes: set[str]) -> None:
    assert {finding.code for finding in seen(spec, wrong)} == codes


SHARED = """
version: 1
name: added
region: us-east-1
network:
  vpc: vpc-0a1b2c3d4e5f60001
  zone: use1-az6
  private_subnets: [{id: subnet-0a1b2c3d4e5f60002, zone: use1-az6}]
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abc}}]
targets: {hyperpod-slurm: {%s}}
"""
JOINS = "cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f60006"
JOINING = Spec(SHARED % JOINS, "hyperpod-slurm")


def of_peer(peer: str) -> list[dict[str, Any]]:
    """All traffic between a file system's group and another, in both directions."""
    return [{**rule, "ReferencedGroupInfo": {"GroupId": peer}} for rule in MEMBERS]


@pytest.mark.parametrize(
    ("options", "peer", "deployed", "found"),
    [
        # The foundation's group does not exist yet, so that no rule can name it.
        ("", "sg-0a1b2c3d4e5f60009", False, {"PRE052"}),
        ("", NODES_GROUP, True, set()),
        ("", "sg-0a1b2c3d4e5f60009", True, {"PRE052"}),
        # Nodes that join a cluster have a group that file systems know.
        (JOINS, "sg-0a1b2c3d4e5f60006", False, set()),
        (JOINS, "sg-0a1b2c3d4e5f60009", False, {"PRE051", "PRE052"}),
    ],
)
def test_a_file_system_admits_groups_that_nodes_have(
    options: str, peer: str, deployed: bool, found: set[str]
) -> None:
    plan = planned(Spec(SHARED % options, "hyperpod-slurm"))
    account = Account(plan, {RULES: of_peer(peer)}, deployed=deployed)
    assert {f.code for f in look(plan, account)} & {"PRE051", "PRE052"} == found


def test_quotas_count_what_the_joined_cluster_has() -> None:
    """PRE021 with 2 nodes beside 18 of others; groups of the bundle are not counted twice."""
    groups = [
        {"InstanceGroupName": name, "InstanceType": "ml.p5en.48xlarge", "TargetCount": count}
        for name, count in (("old", 18), ("h200", 2))
    ]
    for value, found in ((20.0, []), (19.0, ["besides 18 of the cluster, the quota is 19"] * 3)):
        title = "{} for cluster usage".format("ml.p5en.48xlarge")
        titles = (title, quotas.PER_CLUSTER, quotas.ALL_CLUSTERS)
        known = [{"QuotaName": each, "QuotaCode": "L-1", "Value": value} for each in titles]
        wrong: dict[str, Any] = {
            "service-quotas:ListServiceQuotas": known,
            "sagemaker:DescribeCluster": {"InstanceGroups": groups},
        }
        told = [f.message for f in seen(JOINING, wrong) if f.code == "PRE021"]
        assert [message.partition("maximum, ")[2] for message in told] == found


def test_the_help_says_where_the_group_of_nodes_comes_from() -> None:
    closed = {RULES: of_peer("sg-1")}
    alone = Spec(SHARED % "", "hyperpod-slurm")
    (help,) = [f.help for f in seen(alone, closed) if f.code == "PRE052"]
    assert help.startswith("run ./deploy.sh --foundation, and put its output ClusterSec")
    (help,) = [f.help for f in seen(JOINING, closed) if f.code == "PRE052"]
    assert help.startswith("aws ec2 authorize")
    assert "GroupId=sg-0a1b2c3d4e5f60006" in help


def test_a_capacity_that_begins_later_is_a_note() -> None:
    later = {CR: {"State": "scheduled", "StartDate": datetime(2098, 12, 1, 11, 30, tzinfo=UTC)}}
    (finding,) = seen(BLOCK, later)
    assert (finding.code, finding.severity) == ("PRE035", "note")
    assert "begins at 2098-12-01 11:30 UTC" in finding.message


@pytest.mark.parametrize(("target", "severity"), [("pcs", "error"), ("parallelcluster", "warning")])
def test_a_block_that_is_not_paid_for(target: str, severity: str) -> None:
    """PCS creates no node group for it."""
    spec = group("capacity_block: cr-0a1b2c3d4e5f60004", target)
    found = {f.code: f.severity for f in seen(spec, {CR: {"State": "payment-pending"}})}
    assert found["PRE030"] == severity


@pytest.mark.parametrize(
    ("tags", "severity"),
    [([], "warning"), ([{"Key": "parallelcluster:version", "Value": "3.16.0"}], "error")],
)
def test_an_image_that_may_not_be_of_parallelcluster(
    tags: list[dict[str, str]], severity: str
) -> None:
    found = seen(PC, {IMAGES: {"Tags": tags}})
    assert [(f.code, f.severity) for f in found] == [("PRE094", severity)]


def test_public_subnets_of_simple_nodes_are_a_warning() -> None:
    """They get public addresses, which nodes with several network cards cannot."""
    public = {
        ROUTES: {"Routes": [{**OUT, "GatewayId": "igw-1"}]},
        "ec2:DescribeSubnets": {"MapPublicIpOnLaunch": True},
    }
    (finding,) = seen(PLAIN, public)
    assert (finding.code, finding.severity) == ("PRE043", "warning")


def test_the_help_requests_a_quota_by_its_code() -> None:
    (finding,) = [f for f in seen(BASE, {QUOTA: {"Value": 7.0}}) if f.code == "PRE020"]
    assert "needs 384 vCPUs at its maximum, the quota is 7" in finding.message
    assert "--quota-code L-417A185B --desired-value 384" in finding.help


def test_a_zone_without_the_type_is_named_with_those_that_have_it() -> None:
    elsewhere = [{"InstanceType": "p5en.48xlarge", "Location": "use1-az2"}]
    (finding,) = seen(BASE, {"ec2:DescribeInstanceTypeOfferings": elsewhere})
    assert finding.message == "use1-az6 does not offer p5en.48xlarge"
    assert finding.help == "zones with it: use1-az2"


def test_each_call_is_made_once() -> None:
    plan = planned(PC)
    asked = Account(plan)
    look(plan, asked)
    assert asked.calls.count("ec2:DescribeAvailabilityZones") == 1
    assert asked.calls.count("ec2:DescribeImages") == 1

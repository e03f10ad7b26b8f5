"""The foundation template: what is in it, what is not, and that its validators accept it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from clustergen.services import foundation
from tests.rules.storage.planning import lustre
from tests.services.foundation.planned import plan_of, template_of
from tests.validators.cloudformation import check, lint

EXISTING = """
network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890, {id: subnet-0a1b2c3d4e5f67891, zone: use1-az4}]
  public_subnets: [subnet-0a1b2c3d4e5f67892]
"""
THEIR_GROUPS = ["sg-0a1b2c3d4e5f67890", "sg-0a1b2c3d4e5f67891"]
EXISTING_GROUPS = f"{EXISTING}  security_groups: [{', '.join(THEIR_GROUPS)}]\n"
KEY = "arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-1111-2222-3333-0a1b2c3d4e5f"


def resources_of(name: str) -> Any:
    """The resources of a variant."""
    return template_of(VARIANTS[name])["Resources"]


def properties_of(name: str, resource: str) -> Any:
    return resources_of(name)[resource]["Properties"]


def group_of(name: str) -> Any:
    return {"Fn::GetAtt": [name, "GroupId"]}


PERSISTENT_HDD = "deployment: persistent-1, storage_class: hdd"
TIERED = "storage_class: intelligent-tiering"
VARIANTS: dict[str, str] = {
    "smallest": "",
    "tags": "tags: {team: models, cost-center: '007'}",
    "zone name": "network: {zone: us-east-1a, cidr: 10.8.0.0/20}",
    "local zone": "network: {zone: use1-dfw2-az1}",
    "metrics": "monitoring: {metrics: managed-prometheus, log_retention: forever}",
    "alerts and Grafana": """
tags: {team: models}
monitoring:
  {metrics: managed-prometheus, dashboards: managed-grafana,
   alerts: {email: [on-call@example.com, lead@example.com]}}
""",
    "alerts to a topic": """
monitoring:
  metrics: managed-prometheus
  workspace: ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789
  alerts: {topic: "arn:aws:sns:us-east-1:111122223333:pages"}
""",
    "ssh": "network: {ssh_from: [203.0.113.0/24, '2001:db8::/32', pl-0a1b2c3d4e5f67890]}",
    "existing": EXISTING,
    "existing groups": EXISTING_GROUPS,
    "scratch-1": lustre("deployment: scratch-1, size: 1200GiB"),
    "scratch-2": lustre("deployment: scratch-2, size: 2400GiB, on_delete: delete"),
    "persistent-1": lustre("deployment: persistent-1, size: 1200GiB, throughput: 200, backups: 7d"),
    "hdd": lustre(f"{PERSISTENT_HDD}, size: 6000GiB, throughput: 12"),
    "hdd with cache": lustre(f"{PERSISTENT_HDD}, size: 1800GiB, throughput: 40, drive_cache: true"),
    "persistent-2": lustre(
        "size: 4800GiB, throughput: 500, metadata_iops: 6000, compression: none"
    ),
    "efa": lustre("size: 38400GiB, throughput: 125, metadata_iops: auto, efa: true"),
    "efa with existing groups": EXISTING_GROUPS
    + lustre("size: 19200GiB, throughput: 250, metadata_iops: auto, efa: true"),
    "tiering": lustre(f"{TIERED}, throughput: 4000, metadata_iops: 6000, read_cache: 1024GiB"),
    "tiering without cache": lustre(
        f"{TIERED}, throughput: 4000, metadata_iops: 12000, read_cache: none"
    ),
    "repositories": lustre(
        "size: 1200GiB, throughput: 250, data_repositories: ["
        "{path: /a, s3: s3://training-data/a, import: [new, changed, deleted]},"
        "{path: /b, s3: s3://training-data/b, export: [new]}, {path: /c, s3: s3://other-data}]"
    ),
    "openzfs": "storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}]",
    "openzfs in an existing VPC": EXISTING
    + "storage: [{mount: /home, type: fsx-openzfs, size: 64GiB, throughput: 64, iops: 1000,"
    " deployment: single-az-1, compression: zstd, on_delete: delete}]",
    "efs": "storage: [{mount: /home, type: efs, backups: 35d}]",
    "efs in one zone": "storage: [{mount: /home, type: efs, one_zone: true}]",
    "efs provisioned, existing groups": EXISTING_GROUPS
    + "storage: [{mount: /home, type: efs, throughput_mode: provisioned, throughput: 100}]",
    "key": lustre(f"size: 1200GiB, throughput: 125, kms_key: '{KEY}'"),
    "buckets and scripts": """
storage:
  - {mount: /data, type: s3, bucket: s3://training-data/imagenet}
  - {mount: /out, type: s3, bucket: s3://training-out, read_only: false}
software:
  scripts: [{run: s3://my-scripts/boot/setup.sh}, {run: https://example.com/other.sh}]
""",
    "several": """
network: {ssh_from: [203.0.113.0/24]}
storage:
  - {mount: /fsx, type: fsx-lustre, size: 1200GiB, throughput: 250}
  - {mount: /efa, type: fsx-lustre, size: 38400GiB, throughput: 125, metadata_iops: auto, efa: true}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
  - {mount: /shared, type: efs}
  - {mount: /share, type: ebs, size: 100GiB}
  - {mount: /old, type: efs, existing: {id: fs-0123456789abcdef0}}
""",
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", VARIANTS)
def test_validators_accept(name: str) -> None:
    template = template_of(VARIANTS[name])
    assert check(template) == []
    assert lint({name: json.dumps(template)}) == []


REGIONS = [
    # Region, zone of it.
    *(("us-gov-west-1", "usgw1-az1"), ("us-gov-east-1", "usge1-az1"), ("us-west-2", "usw2-az1")),
    *(("cn-north-1", "cnn1-az1"), ("cn-northwest-1", "cnnw1-az1")),
    *(("ap-south-2", "aps2-az1"), ("eu-north-1", "eun1-az1")),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("region", "zone"), REGIONS)
def test_validators_accept_in_other_regions(region: str, zone: str) -> None:
    spec = f"region: {region}\nnetwork: {{zone: {zone}}}\n{VARIANTS['scratch-2']}"
    template = template_of(spec)
    assert check(template, region) == []
    assert lint({region: json.dumps(template)}, [region]) == []


@pytest.mark.parametrize("name", VARIANTS)
def test_no_arn_has_a_fixed_partition(name: str) -> None:
    template = template_of(VARIANTS[name])
    for text in _strings(template):
        # What the user wrote may name a partition, the template's own words may not.
        if text not in VARIANTS[name]:
            assert not re.search(r"arn:aws|amazonaws\.com(?!\.)", text), text


@pytest.mark.parametrize("name", VARIANTS)
def test_every_rule_and_group_has_a_description(name: str) -> None:
    for logical_id, resource in resources_of(name).items():
        properties = resource["Properties"]
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            assert properties["GroupDescription"], logical_id
            assert all(rule["Description"] for rule in properties.get("SecurityGroupEgress", []))
        elif resource["Type"].startswith("AWS::EC2::SecurityGroup"):
            assert properties["Description"], logical_id


@pytest.mark.parametrize("name", VARIANTS)
def test_outputs_are_those_announced(name: str) -> None:
    announced = foundation.outputs(plan_of(VARIANTS[name]))
    outputs = template_of(VARIANTS[name])["Outputs"]
    assert {key: output["Description"] for key, output in outputs.items()} == announced


TYPES = [
    # Variant, resource types beyond those of access.
    ("existing groups", {}),
    ("existing", {"AWS::EC2::SecurityGroup": 2, "AWS::EC2::SecurityGroupIngress": 1}),
    ("efa with existing groups", {"AWS::FSx::FileSystem": 1}),
    ("efs provisioned, existing groups", {"AWS::EFS::MountTarget": 2, "AWS::EFS::FileSystem": 1}),
    ("smallest", {"AWS::EC2::VPC": 1, "AWS::EC2::Subnet": 6, "AWS::EC2::NatGateway": 1}),
    ("efs in one zone", {"AWS::EFS::MountTarget": 1}),
    ("repositories", {"AWS::FSx::DataRepositoryAssociation": 3}),
    ("several", {"AWS::FSx::FileSystem": 3, "AWS::EFS::FileSystem": 1, "AWS::EC2::Volume": 0}),
]


@pytest.mark.parametrize(("name", "expected"), TYPES)
def test_only_missing_resources_are_created(name: str, expected: dict[str, int]) -> None:
    types = [resource["Type"] for resource in resources_of(name).values()]
    assert {kind: types.count(kind) for kind in expected} == expected
    if not expected:
        assert not [kind for kind in types if kind.startswith(("AWS::EC2", "AWS::FSx", "AWS::EFS"))]


FSX, CACHE = "StorageFsx", ".DataReadCacheConfiguration"
LUSTRE = [
    # Variant, path in the file system's resource or, behind a dot, in its LustreConfiguration.
    ("scratch-2", "Properties.FileSystemTypeVersion", "2.15"),
    ("scratch-2", ".DeploymentType", "SCRATCH_2"),
    ("scratch-2", ".AutomaticBackupRetentionDays", None),
    ("scratch-2", "DeletionPolicy", "Delete"),
    ("scratch-1", "DeletionPolicy", "RetainExceptOnCreate"),
    ("scratch-1", "UpdateReplacePolicy", "Retain"),
    ("persistent-1", ".AutomaticBackupRetentionDays", 7),
    ("hdd", ".DriveCacheType", "NONE"),
    ("hdd with cache", ".DriveCacheType", "READ"),
    ("persistent-2", ".PerUnitStorageThroughput", 500),
    ("persistent-2", ".DataCompressionType", "NONE"),
    ("persistent-2", ".MetadataConfiguration", {"Mode": "USER_PROVISIONED", "Iops": 6000}),
    ("persistent-2", ".EfaEnabled", None),
    ("efa with existing groups", "Properties.SecurityGroupIds", THEIR_GROUPS),
    ("tiering", "Properties.StorageCapacity", None),
    ("tiering", ".ThroughputCapacity", 4000),
    ("tiering", ".PerUnitStorageThroughput", None),
    ("tiering", CACHE, {"SizingMode": "USER_PROVISIONED", "SizeGiB": 1024}),
    ("tiering without cache", CACHE, {"SizingMode": "NO_CACHE"}),
]


@pytest.mark.parametrize(("name", "path", "expected"), LUSTRE)
def test_lustre(name: str, path: str, expected: Any) -> None:
    found = resources_of(name)[FSX]
    whole = f"Properties.LustreConfiguration{path}" if path.startswith(".") else path
    for step in whole.split("."):
        found = found.get(step)
    assert found == expected


def test_repositories_are_made_one_after_another() -> None:
    resources = resources_of("repositories")
    chain = [resources[f"Repository{n}Of{FSX}"].get("DependsOn") for n in (1, 2, 3)]
    assert chain == [None, [f"Repository1Of{FSX}"], [f"Repository2Of{FSX}"]]


LUSTRE_PORTS = {("tcp", 988, 988), ("tcp", 1018, 1023)}
NFS_PORTS = {
    (p, a, b) for p in ("tcp", "udp") for a, b in ((111, 111), (2049, 2049), (20001, 20003))
}
PORTS = [
    # Variant, group, direction, (protocol, first port, last port) that it lets nodes or files use.
    ("scratch-2", "StorageSecurityGroup", "Ingress", LUSTRE_PORTS),
    ("scratch-2", "StorageSecurityGroup", "Egress", LUSTRE_PORTS),
    ("openzfs", "StorageSecurityGroup", "Ingress", NFS_PORTS),
    ("openzfs", "StorageSecurityGroup", "Egress", set()),
    ("efs", "StorageSecurityGroup", "Ingress", {("tcp", 2049, 2049)}),
    ("efs", "StorageSecurityGroup", "Egress", set()),
    ("smallest", "LoginSecurityGroup", "Ingress", set()),
    ("ssh", "LoginSecurityGroup", "Ingress", {("tcp", 22, 22)}),
]


@pytest.mark.parametrize(("name", "group", "direction", "expected"), PORTS)
def test_ports(name: str, group: str, direction: str, expected: set[tuple[Any, ...]]) -> None:
    of_direction = [
        resource["Properties"]
        for resource in resources_of(name).values()
        if resource["Type"] == f"AWS::EC2::SecurityGroup{direction}"
    ]
    rules = [rule for rule in of_direction if rule["GroupId"] == group_of(group)]
    assert {(r["IpProtocol"], r.get("FromPort"), r.get("ToPort")) for r in rules} == expected


def test_by_default_there_is_no_ssh_and_no_public_address() -> None:
    assert not properties_of("smallest", "PublicSubnet")["MapPublicIpOnLaunch"]
    assert properties_of("ssh", "PublicSubnet")["MapPublicIpOnLaunch"]
    assert not properties_of("ssh", "PrivateSubnet")["MapPublicIpOnLaunch"]
    first, second, third = (properties_of("ssh", f"LoginSecurityGroupSsh{n}") for n in (1, 2, 3))
    assert (first["CidrIp"], second["CidrIpv6"]) == ("203.0.113.0/24", "2001:db8::/32")
    assert third["SourcePrefixListId"] == "pl-0a1b2c3d4e5f67890"


@pytest.mark.parametrize(
    ("name", "policy"), [("scratch-1", "RetainExceptOnCreate"), ("scratch-2", "Delete")]
)
def test_the_network_of_retained_data_is_retained(name: str, policy: str) -> None:
    for logical_id in ("Vpc", "PrivateSubnet", "StorageSecurityGroup"):
        assert resources_of(name)[logical_id]["DeletionPolicy"] == policy


WRITING = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
STATEMENTS = [
    # Statement, actions, resource.
    ("UserScripts", ["s3:GetObject"], "my-scripts/boot/setup.sh"),
    ("List1", ["s3:ListBucket"], "training-data"),
    ("Objects1", ["s3:GetObject"], "training-data/imagenet/*"),
    ("Objects2", WRITING, "training-out/*"),
    ("PcsScripts", ["s3:GetObject"], "aws-pcs-repo-${AWS::Region}/*"),
]


@pytest.mark.parametrize(("sid", "actions", "path"), STATEMENTS)
def test_role_has_permissions(sid: str, actions: list[str], path: str) -> None:
    role = properties_of("buckets and scripts", "NodeRole")
    statements = {s["Sid"]: s for s in role["Policies"][0]["PolicyDocument"]["Statement"]}
    assert statements[sid]["Action"] == actions
    assert statements[sid]["Resource"] == [{"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::{path}"}]


PCS_POLICY = ["AWSPCSComputeNodePolicy"]
POLICIES = [
    ("us-east-1", "use1-az6", PCS_POLICY),
    ("us-gov-west-1", "usgw1-az1", PCS_POLICY),
    ("cn-north-1", "cnn1-az1", []),
]


@pytest.mark.parametrize(("region", "zone", "names"), POLICIES)
def test_role_has_only_policies_of_its_partition(region: str, zone: str, names: list[str]) -> None:
    template = template_of(f"region: {region}\nnetwork: {{zone: {zone}}}")
    role = template["Resources"]["NodeRole"]["Properties"]
    found = [arn["Fn::Sub"].rpartition("/")[2] for arn in role.get("ManagedPolicyArns", [])]
    assert (found, role["Path"]) == (names, "/aws-pcs/")


def test_nodes_cannot_read_parameters_of_the_account() -> None:
    documents = _documents(resources_of("several"))
    statements = [statement for each in documents for statement in each["Statement"]]
    actions = {action for s in statements if s["Effect"] == "Allow" for action in s["Action"]}
    assert {"ssm:UpdateInstanceInformation", "ssmmessages:OpenDataChannel"} <= actions
    assert not actions & {"ssm:GetParameter", "ssm:GetParameters", "ssm:*"}


def _documents(resources: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The policies that the template itself gives roles."""
    for resource in resources.values():
        properties = resource.get("Properties", {})
        if resource["Type"].startswith("AWS::IAM::"):
            yield from (policy["PolicyDocument"] for policy in properties.get("Policies", []))
            yield from filter(None, [properties.get("PolicyDocument")])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inside = value.values() if isinstance(value, dict) else value
    for inner in inside if isinstance(value, dict | list) else ():
        yield from _strings(inner)

"""The template validators pass what is right and catch single faults."""

import base64
import json
from typing import Any

import pytest

from tests.support.tables import flow
from tests.validators.cloudformation import (
    check,
    lint,
    linting,
    requests,
    resolve,
    shortcuts,
    unknown_types,
)
from tests.validators.good import FOUNDATION, PCS
from tests.validators.placeholders import resource_id
from tests.validators.seeding import GONE, changed

REGIONS = ("us-east-1",)
CLUSTER = "Resources.Cluster.Properties"
SLURM = f"{CLUSTER}.SlurmConfiguration"
NODES = "Resources.Nodes.Properties"
SCRIPT = f"{NODES}.NodeLifecycleActions.Stages.NodeBootstrapped.0"
QUEUE = "Resources.Queue.Properties"
TEMPLATE = "Resources.Template.Properties.LaunchTemplateData"
NICS = f"{TEMPLATE}.NetworkInterfaces"
USER_DATA = f"{TEMPLATE}.UserData"
LUSTRE = "Resources.Lustre.Properties"
RULE = "Resources.AmongMembersIn.Properties"
PLAIN_SCRIPT = "#!/bin/bash\nmkdir -p /fsx\n"
HYPERPOD = {"Type": "AWS::SageMaker::Cluster", "Properties": {"Orchestrator": {}}}
MIXED_TYPES = [{"InstanceType": "p5en.48xlarge"}, {"InstanceType": "m8g.xlarge"}]


@pytest.mark.parametrize("template", [PCS, FOUNDATION], ids=["pcs", "foundation"])
@pytest.mark.parametrize("region", ["us-east-1", "us-gov-west-1", "cn-north-1"])
def test_valid_templates_pass(template: Any, region: str) -> None:
    assert check(template, region) == []


@pytest.mark.parametrize("template", [PCS, FOUNDATION], ids=["pcs", "foundation"])
def test_cfn_lint_accepts_valid_templates(template: Any) -> None:
    assert _lint(template) == []


FAULTS_OF_PCS: list[tuple[str, Any, str]] = [
    # Path, value, words of the violation.
    (f"{CLUSTER}.Name", "p5", "Cluster: pcs:CreateCluster: clusterName"),
    (f"{CLUSTER}.Name", "pcs_train", "does not match"),
    (f"{CLUSTER}.Size", "HUGE", "not one of SMALL"),
    (f"{CLUSTER}.Networking", GONE, "required member networking"),
    (f"{CLUSTER}.Tags", [{"Key": "a", "Value": "b"}], "map expected, not list"),
    (f"{SLURM}.Accounting", {"Mode": "ON"}, "slurmConfiguration.accounting.mode"),
    (f"{SLURM}.AuthKey", {"SecretArn": "x"}, "unknown member AuthKey"),
    (f"{NODES}.ClusterId", {"Ref": "Cluster"}, "clusterIdentifier"),
    (f"{NODES}.AmiId", GONE, "neither AmiId"),
    (f"{NODES}.IamInstanceProfileArn", "arn:aws:iam::1:instance-profile/x", "InstanceProfileArn"),
    (f"{NODES}.CustomLaunchTemplate", {"Id": "lt-0a1b2c3d", "Version": "1"}, "no launch template"),
    (f"{NODES}.PurchaseOption", "ONDEMAND", "MarketType capacity-block"),
    (f"{NODES}.ScalingConfiguration.MinInstanceCount", -1, "the minimum is 0"),
    (f"{NODES}.InstanceConfigs", MIXED_TYPES, "different architectures"),
    (f"{NODES}.InstanceConfigs.0.InstanceType", "p5.48xlarge", "a Capacity Block of p5en"),
    (f"{NODES}.InstanceConfigs.0.InstanceType", "p5x.48xlarge", "no instance type p5x"),
    (f"{SCRIPT}.ScriptSource.Checksum", "0f" * 31, "scriptSource.checksum"),
    (f"{SCRIPT}.Arguments", ["x"] * 21, "the maximum is 20"),
    (f"{QUEUE}.ClusterId", GONE, "required member clusterIdentifier"),
    (f"{QUEUE}.ClusterId", {"Fn::GetAtt": ["Nowhere", "Id"]}, "nothing in the template"),
    (f"{QUEUE}.ClusterId", {"Fn::GetAtt": ["Cluster", "Identity"]}, "no attribute Identity"),
    (f"{NICS}.0", GONE, "no primary interface"),
    (f"{NICS}.0.InterfaceType", "efa-only", "primary interface is efa-only"),
    (f"{NICS}.3.InterfaceType", "EFA", "cannot hold the interface type EFA"),
    (f"{NICS}.3.NetworkCardIndex", 2, "2 interfaces on network card 2, device 1"),
    (f"{NICS}.3.NetworkCardIndex", 16, "no network card 16"),
    (f"{NICS}.3.DeviceIndex", 4, "device 4 on network card 3"),
    (f"{NICS}.3.Groups", GONE, "has no security groups"),
    (f"{NICS}.3.AssociatePublicIpAddress", True, "public IP address beside"),
    (f"{NICS}.3.SubnetId", "subnet-0a1b2c3d", "no subnet of the node group"),
    (f"{NICS}.3.Device", 1, "unknown member Device"),
    (f"{TEMPLATE}.SecurityGroupIds", ["sg-0a1b2c3d"], "SecurityGroupIds beside"),
    (f"{TEMPLATE}.MetadataOptions.HttpTokens", "always", "not one of optional, required"),
    (f"{TEMPLATE}.InstanceMarketOptions", GONE, "with MarketType None"),
    (f"{TEMPLATE}.CapacityReservationSpecification", GONE, "without a CapacityReservationId"),
    (f"{USER_DATA}.Fn::Base64", PLAIN_SCRIPT, "not MIME multipart/mixed"),
    (f"{USER_DATA}", PLAIN_SCRIPT, "not base64"),
    (f"{USER_DATA}.Fn::Base64", "#" * 16_385, "EC2 takes 16384"),
]

FAULTS_OF_THE_FOUNDATION: list[tuple[str, Any, str]] = [
    (f"{LUSTRE}.FileSystemType", "lustre", "not one of WINDOWS"),
    (f"{LUSTRE}.SubnetIds", GONE, "required member SubnetIds"),
    (f"{LUSTRE}.LustreConfiguration.DataCompressionType", "ZSTD", "not one of NONE, LZ4"),
    (f"{LUSTRE}.LustreConfiguration.MetadataConfiguration", {"Iops": 6000}, "member Mode"),
    (f"{LUSTRE}.LustreConfiguration.Efa", True, "unknown member Efa"),
    ("Resources.Data.Properties.S3.AutoImportPolicy.Events", ["RENAMED"], "not one of NEW"),
    ("Resources.Tools.Properties.ThroughputMode", "fast", "not one of bursting"),
    ("Resources.ToolsTarget.Properties.FileSystemId", "tools", "does not match"),
    ("Resources.Scripts.Properties.BucketName", "Pretrain_Scripts", "is not a bucket name"),
    ("Resources.Role.Properties.Path", "aws-pcs", "Path"),
    (f"{RULE}.Description", "the cluster's own", "characters that EC2 refuses"),
    (f"{RULE}.Source", "sg-1", "unknown member Source"),
    ("Resources.Vpc.Properties.CidrBlok", "10.0.0.0/16", "unknown member CidrBlok"),
    ("Resources.Nat", {"Type": "AWS::EC2::NatGatway"}, "does not know the resource type"),
]


@pytest.mark.parametrize(
    ("good", "path", "value", "words"),
    [
        *((PCS, *fault) for fault in FAULTS_OF_PCS),
        *((FOUNDATION, *fault) for fault in FAULTS_OF_THE_FOUNDATION),
    ],
)
def test_single_faults_are_caught(good: Any, path: str, value: Any, words: str) -> None:
    violations = check(changed(good, path, value))
    assert any(words in violation for violation in violations), violations


FAULTS_FOR_CFN_LINT: list[tuple[str, Any, str]] = [
    # What only CloudFormation itself rejects.
    (f"{NODES}.CustomLaunchTemplate.Id", "lt-0a1b2c3d", "E3002"),
    (f"{NODES}.SecurityGroupIds", ["sg-0a1b2c3d"], "E3002"),
    (f"{NODES}.SlurmConfiguration.ScaleDownIdleTimeInSeconds", -1, "E3034"),
    (f"{NODES}.ScalingConfiguration", GONE, "E3003"),
    (f"{SCRIPT}.Name", "x" * 300, "E3033"),
    (f"{QUEUE}.ClusterId", {"Fn::GetAtt": ["Nowhere", "Id"]}, "E1010"),
    ("Parameters.PrivateSubnetId", GONE, "E1020"),
    ("Outputs", {"QueueId": {"Value": {"Ref": "Nowhere"}}}, "E6101"),
    ("Resources.Queue.DependsOn", "Nowhere", "E3005"),
    ("Resources.Trainer", HYPERPOD, "E3018"),
]


@pytest.mark.parametrize(("path", "value", "rule"), FAULTS_FOR_CFN_LINT)
def test_cfn_lint_catches_most_faults(path: str, value: Any, rule: str) -> None:
    assert rule in _lint(changed(PCS, path, value))


@pytest.mark.parametrize(
    ("instance_type", "expected"),
    [("p5e.48xlarge", []), ("p6e-gb200.36xlarge", []), ("p5x.48xlarge", ["E3628"])],
)
def test_false_alarms_are_left_out(instance_type: str, expected: list[str]) -> None:
    template = changed(PCS, f"{TEMPLATE}.InstanceType", instance_type)
    assert _lint(template) == expected


def test_the_linter_finds_the_same_without_shortcuts() -> None:
    faulty = PCS
    for path, value, _ in FAULTS_FOR_CFN_LINT:
        faulty = changed(faulty, path, value)
    texts = [json.dumps(template) for template in (PCS, FOUNDATION, faulty)]
    found = [[str(match) for match in linting.matches(text, REGIONS)] for text in texts]
    with shortcuts.removed():
        rules = linting.new_rules()
        plain = [[str(match) for match in linting.matches(text, REGIONS, rules)] for text in texts]
    assert found == plain
    assert [bool(each) for each in found] == [False, False, True]


def _lint(template: Any) -> list[str]:
    return [found.rule for found in lint({"cluster.template.json": json.dumps(template)})]


INTRINSICS: list[tuple[Any, Any]] = [
    ({"Ref": "AWS::Region"}, "eu-west-1"),
    ({"Ref": "Given"}, "as given"),
    ({"Ref": "Defaulted"}, "by default"),
    ({"Ref": "Stored"}, resource_id("ami", "Stored")),
    ({"Fn::Sub": "${AWS::Partition}-${Defaulted}-${!Literal}"}, "aws-by default-${Literal}"),
    ({"Fn::Sub": ["${a}/${Given}", {"a": {"Ref": "Defaulted"}}]}, "by default/as given"),
    ({"Fn::Join": ["-", ["a", {"Ref": "Given"}]]}, "a-as given"),
    ({"Fn::Base64": "x"}, base64.b64encode(b"x").decode()),
    ({"Fn::If": ["IsEurope", "yes", "no"]}, "yes"),
    ({"Fn::Select": [1, {"Fn::Split": [",", "a,b"]}]}, "b"),
    ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, "eu-west-1a"),
    ({"Fn::Cidr": ["10.0.0.0/16", 2, 12]}, ["10.0.0.0/20", "10.0.16.0/20"]),
    ({"Fn::FindInMap": ["Images", "x86", "os"]}, "ubuntu"),
    ({"Fn::GetAtt": ["Bucket", "Arn"]}, "arn:aws:s3:::mine"),
    ({"Fn::GetAtt": "Bucket.RegionalDomainName"}, "mine.s3.eu-west-1.amazonaws.com"),
    ({"Ref": "Bucket"}, "mine"),
    ({"a": {"Ref": "AWS::NoValue"}, "b": [{"Ref": "AWS::NoValue"}, 1]}, {"b": [1]}),
    ("{{resolve:secretsmanager:s}}", "looked-up"),
]


@pytest.mark.parametrize(("written", "value"), INTRINSICS)
def test_intrinsics(written: Any, value: Any) -> None:
    template = {
        "Parameters": flow("""
            {Given: {Type: String}, Defaulted: {Type: String, Default: by default},
              Stored: {Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>',
              Default: /aws/service/pcs/ami/latest/ami-id}}
        """),
        "Mappings": {"Images": {"x86": {"os": "ubuntu"}}},
        "Conditions": {
            "IsEurope": {"Fn::Equals": [{"Ref": "AWS::Region"}, "eu-west-1"]},
            "IsNot": {"Fn::Not": [{"Condition": "IsEurope"}]},
        },
        "Resources": {
            "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "mine"}},
            "Asked": {"Type": "AWS::S3::Bucket", "Properties": {"Value": written}},
            "Absent": {"Type": "AWS::S3::Bucket", "Condition": "IsNot"},
        },
    }
    resources = resolve(template, {"Given": "as given"}, region="eu-west-1")
    assert [r.properties.get("Value") for r in resources] == [None, value]


def test_requests_use_the_names_of_the_api() -> None:
    by_operation = {request.operation: request.params for request in requests(PCS)}
    assert by_operation["CreateQueue"]["queueName"] == "train"
    assert by_operation["CreateQueue"]["computeNodeGroupConfigurations"][0].keys() == {
        "computeNodeGroupId"
    }
    assert by_operation["CreateComputeNodeGroup"]["customLaunchTemplate"]["version"] == "1"
    assert by_operation["PutDeliveryDestination"]["deliveryDestinationConfiguration"][
        "destinationResourceArn"
    ].startswith("arn:aws:logs:us-east-1:123456789012:log-group:/clusters/pretrain")


def test_unknown_types_are_named() -> None:
    template = changed(PCS, "Resources.Trail", {"Type": "AWS::CloudTrail::Trail"})
    assert unknown_types(PCS) == set()
    assert unknown_types(template) == {"AWS::CloudTrail::Trail"}

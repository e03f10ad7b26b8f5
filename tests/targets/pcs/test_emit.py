"""What the cluster template says, by what the spec says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clustergen import renderer
from clustergen.targets.pcs import TARGET
from tests.targets.pcs.planned import files_of, plan_of, properties_of, template_of, validated
from tests.targets.pcs.specs import SPECS

BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"


def _custom(settings: list[dict[str, str]]) -> dict[str, str]:
    return {s["ParameterName"]: s["ParameterValue"] for s in settings}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("node_groups: [{name: h200, count: 32}]", "SMALL"),
        ("node_groups: [{name: h200, count: 33}]", "MEDIUM"),
        ("node_groups: [{name: h200, count: 32}]\nlogin: {instance_type: m7i.xlarge}", "MEDIUM"),
        ("node_groups: [{name: h200, count: {min: 0, max: 513}}]", "LARGE"),
        ("targets: {pcs: {size: large}}", "LARGE"),
    ],
)
def test_size_holds_all_nodes(text: str, size: str) -> None:
    assert properties_of(text, "Cluster")["Size"] == size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"Mode": "NONE"}),
        ("slurm: {accounting: managed}", {"Mode": "STANDARD"}),
        (
            "slurm: {accounting: managed}\ntargets: {pcs: {purge_accounting: 90d}}",
            {"Mode": "STANDARD", "DefaultPurgeTimeInDays": 90},
        ),
    ],
)
def test_accounting(text: str, expected: dict[str, Any]) -> None:
    assert properties_of(text, "Cluster")["SlurmConfiguration"]["Accounting"] == expected


def test_scheduler_version_is_text_and_has_a_default() -> None:
    assert properties_of("", "Cluster")["Scheduler"] == {"Type": "SLURM", "Version": "25.11"}
    written = properties_of('slurm: {version: "26.05"}', "Cluster")["Scheduler"]
    assert written["Version"] == "26.05"


def test_absent_settings_are_omitted() -> None:
    document = json.dumps(template_of(""))
    assert "SlurmdbdCustomSettings" not in document
    assert "CgroupCustomSettings" not in document
    assert "GresCustomSettings" not in document
    assert "[]" not in document


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("", {"Default": "YES"}),
        ("time_limit: 7d", {"Default": "YES", "MaxTime": "7-00:00:00"}),
        ("time_limit: 90s", {"Default": "YES", "MaxTime": "0-00:01:30"}),
        ("priority: 7", {"Default": "YES", "PriorityTier": "7", "PriorityJobFactor": "7"}),
        ("exclusive: true", {"Default": "YES", "OverSubscribe": "EXCLUSIVE"}),
        ("slurm: {default: false}", {"default": "NO"}),
    ],
)
def test_queue_settings(queue: str, expected: dict[str, str]) -> None:
    text = f"queues: [{{name: train, node_groups: [h200]{', ' + queue if queue else ''}}}]"
    found = properties_of(text, "QueueTrain")["SlurmConfiguration"]["SlurmCustomSettings"]
    assert _custom(found) == expected


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("labels: {pool: a, fast: ''}", {"Features": "pool=a,fast"}),
        ("labels: {pool: a}, slurm: {Features: x}", {"Features": "pool=a,x"}),
        ("slurm: {Weight: 10}", {"Weight": "10"}),
    ],
)
def test_node_settings(group: str, expected: dict[str, str]) -> None:
    text = f"node_groups: [{{name: h200, {group}}}]"
    found = properties_of(text, "NodeGroupH200")["SlurmConfiguration"]["SlurmCustomSettings"]
    assert _custom(found) == expected


def test_gpus_are_partitioned_at_boot_and_in_gres_conf() -> None:
    text = 'node_groups: [{name: h200, mig: {1g.18gb: 2, 2g.35gb: 2}}]\nslurm: {version: "26.05"}'
    slurm = properties_of(text, "NodeGroupH200")["SlurmConfiguration"]
    assert _custom(slurm["SlurmCustomSettings"]) == {"Gres": "gpu:1g.18gb:16,gpu:2g.35gb:16"}
    assert slurm["GresCustomSettings"] == [{"AutoDetect": "nvml"}]
    user_data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]["UserData"]
    assert "1g.18gb,1g.18gb,2g.35gb,2g.35gb GPUS=8" in user_data["Fn::Base64"]


@pytest.mark.parametrize(
    ("capacity", "purchase", "market", "target"),
    [
        ("on-demand", "ONDEMAND", None, None),
        (
            "{reservation: cr-0a1b2c3d4e5f67890}",
            "ONDEMAND",
            None,
            {"CapacityReservationId": "cr-0a1b2c3d4e5f67890"},
        ),
        (
            '{reservation_group: "arn:aws:resource-groups:us-east-1:123456789012:group/a"}',
            "ONDEMAND",
            None,
            {
                "CapacityReservationResourceGroupArn": "arn:aws:resource-groups:us-east-1:"
                "123456789012:group/a"
            },
        ),
        (
            "{capacity_block: cr-0a1b2c3d4e5f67890}",
            "CAPACITY_BLOCK",
            "capacity-block",
            {"CapacityReservationId": "cr-0a1b2c3d4e5f67890"},
        ),
        (
            "{interruptible_reservation: cr-0a1b2c3d4e5f67890}",
            "INTERRUPTIBLE_CAPACITY_RESERVATION",
            "interruptible-capacity-reservation",
            {"CapacityReservationId": "cr-0a1b2c3d4e5f67890"},
        ),
        ("spot", "SPOT", None, None),
    ],
)
def test_capacity(
    capacity: str, purchase: str, market: str | None, target: dict[str, str] | None
) -> None:
    text = f"node_groups: [{{name: h200, capacity: {capacity}}}]"
    group = properties_of(text, "NodeGroupH200")
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    reservation = data.get("CapacityReservationSpecification", {})
    assert group["PurchaseOption"] == purchase
    assert data.get("InstanceMarketOptions", {}).get("MarketType") == market
    assert reservation.get("CapacityReservationTarget") == target
    assert ("InstanceType" in data) == (purchase == "CAPACITY_BLOCK")
    spot = {"AllocationStrategy": "capacity-optimized"} if capacity == "spot" else None
    assert group.get("SpotOptions") == spot


@pytest.mark.parametrize(
    ("type", "slots"),
    [
        ("p5en.48xlarge", [(0, 0, "efa"), *((card, 1, "efa") for card in range(1, 16))]),
        ("p6-b300.48xlarge", [(0, 0, None), *((card, 0, "efa") for card in range(1, 17))]),
        ("hpc6id.32xlarge", [(0, 0, "efa"), (1, 0, "efa")]),
        ("g6e.8xlarge", [(0, 0, "efa")]),
    ],
)
def test_interfaces(type: str, slots: list[tuple[int, int, str | None]]) -> None:
    text = f"node_groups: [{{name: h200, instance_type: {type}}}]"
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    found = data["NetworkInterfaces"]
    assert [
        (i["NetworkCardIndex"], i["DeviceIndex"], i.get("InterfaceType")) for i in found
    ] == slots
    assert all(i["Groups"] == [{"Ref": "ClusterSecurityGroupId"}] for i in found)
    assert all(i["SubnetId"] == {"Ref": "PrivateSubnetId"} for i in found)
    assert "SecurityGroupIds" not in data


def test_nodes_without_efa_may_be_in_all_private_subnets() -> None:
    text = SPECS["several subnets"]
    assert properties_of(text, "NodeGroupH200")["SubnetIds"] == [
        "subnet-0a1b2c3d4e5f67890",
        "subnet-0a1b2c3d4e5f67891",
    ]
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    assert "NetworkInterfaces" not in data
    assert len(properties_of(text, "Cluster")["Networking"]["SubnetIds"]) == 1


@pytest.mark.parametrize(
    ("network", "public", "subnet"),
    [
        ("{}", False, "PrivateSubnetId"),
        ("{ssh_from: [203.0.113.0/24]}", True, "PublicSubnetId"),
    ],
)
def test_login_nodes_are_public_only_with_ssh_from_outside(
    network: str, public: bool, subnet: str
) -> None:
    text = f"login: {{instance_type: m7i.xlarge, count: 2}}\nnetwork: {network}"
    data = properties_of(text, "LaunchTemplateLogin")["LaunchTemplateData"]
    group = properties_of(text, "NodeGroupLogin")
    assert data["NetworkInterfaces"][0]["AssociatePublicIpAddress"] is public
    assert group["SubnetIds"] == [{"Ref": subnet}]
    assert group["ScalingConfiguration"] == {"MinInstanceCount": 2, "MaxInstanceCount": 2}
    assert {"Ref": "LoginSecurityGroupId"} in data["NetworkInterfaces"][0]["Groups"]


@pytest.mark.parametrize("name", ["LaunchTemplateH200", "LaunchTemplateLogin"])
def test_every_node_is_closed_by_default(name: str) -> None:
    data = properties_of("login: {instance_type: m7i.xlarge}", name)["LaunchTemplateData"]
    assert data["MetadataOptions"]["HttpTokens"] == "required"
    assert all(mapping["Ebs"]["Encrypted"] for mapping in data["BlockDeviceMappings"])


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        ("auto", {"GroupName": {"Ref": "PlacementGroupH200"}}),
        ("none", None),
        ("{group: mine}", {"GroupName": "mine"}),
    ],
)
def test_placement(placement: str, expected: object) -> None:
    text = f"node_groups: [{{name: h200, placement: {placement}}}]"
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    assert data.get("Placement") == expected
    assert ("PlacementGroupH200" in template_of(text)["Resources"]) == (placement == "auto")


@pytest.mark.parametrize(
    ("image", "os", "device", "expected"),
    [
        (None, "ubuntu2404", "/dev/sda1", {"Ref": "ImageX86"}),
        ("ami-0a1b2c3d4e5f67890", "alinux2023", "/dev/xvda", "ami-0a1b2c3d4e5f67890"),
    ],
)
def test_image_and_root_device(image: str | None, os: str, device: str, expected: object) -> None:
    text = f"node_groups: [{{name: h200, image: {image or 'null'}}}]\nsoftware: {{os: {os}}}"
    assert properties_of(text, "NodeGroupH200")["AmiId"] == expected
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    assert data["BlockDeviceMappings"][0]["DeviceName"] == device


@pytest.mark.parametrize(("kept", "days"), [("1d", 1), ("30d", 30), ("45d", 60), ("9999d", 3653)])
def test_logs_are_kept_at_least_as_long_as_requested(kept: str, days: int) -> None:
    text = f"monitoring: {{log_retention: {kept}}}"
    assert properties_of(text, "SchedulerLogGroup")["RetentionInDays"] == days


def test_nodes_wait_for_the_log_group_that_they_write_to() -> None:
    resources = template_of("login: {instance_type: m7i.xlarge}")["Resources"]
    groups = [r for r in resources.values() if r["Type"] == "AWS::PCS::ComputeNodeGroup"]
    assert [group["DependsOn"] for group in groups] == ["NodeLogGroup", "NodeLogGroup"]
    name = resources["NodeLogGroup"]["Properties"]["LogGroupName"]
    assert name == {"Fn::Sub": "/aws/pcs/${Cluster.Id}/lifecycle"}


def test_parameters_are_what_the_template_refers_to() -> None:
    assert list(template_of("")["Parameters"]) == [
        "ClusterSecurityGroupId",
        "NodeInstanceProfileArn",
        "PrivateSubnetId",
        "ScriptsBucketName",
        "ImageX86",
    ]


@pytest.mark.parametrize("text", SPECS.values(), ids=SPECS)
def test_same_spec_same_bytes(text: str) -> None:
    checked = validated(text)
    assert renderer.render(checked, "pcs") == renderer.render(checked, "pcs")
    document = TARGET.document(plan_of(text))
    assert json.dumps(document) == json.dumps(TARGET.document(plan_of(text)))


ALICE = "login: {}\nusers: [{name: alice, uid: 2001, ssh_key: 'ssh-ed25519 AAAA alice'}]\n"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("login: {}", "`users` with an `ssh_key` can also use SSH"),
        (ALICE, 'AWS-StartSSHSession --parameters portNumber=%p" USER@INSTANCE-ID'),
        (f"{ALICE}network: {{ssh_from: [203.0.113.0/24]}}", "`ssh USER@PUBLIC-ADDRESS`"),
    ],
)
def test_the_readme_says_how_users_log_in(spec: str, words: str) -> None:
    readme = " ".join(files_of(spec)["README.md"].split())
    assert "`aws ssm start-session --region us-east-1 --target INSTANCE-ID`" in readme
    assert words in readme

"""What the cluster template says, by what the spec says."""

from typing import Any

import pytest

from tests.support.tables import at, members
from tests.targets.pcs.planned import files_of, properties_of, template_of
from tests.targets.pcs.specs import SPECS


def group(fields: str) -> str:
    return f"node_groups: [{{name: h200, {fields}}}]"


def _custom(settings: list[dict[str, str]]) -> dict[str, str]:
    return {s["ParameterName"]: s["ParameterValue"] for s in settings}


STARTS = {
    "Cluster": "Resources.Cluster.Properties",
    "Nodes": "Resources.NodeGroupH200.Properties",
    "Launch": "Resources.LaunchTemplateH200.Properties.LaunchTemplateData",
    "Login": "Resources.NodeGroupLogin.Properties",
    "LoginLaunch": "Resources.LaunchTemplateLogin.Properties.LaunchTemplateData",
    "Logs": "Resources.SchedulerLogGroup.Properties",
}
LOGIN = "login: {instance_type: m7i.xlarge, count: 2}\n"
# By spec: places in the template, what is there.
ROWS = {
    # The size holds all nodes.
    group("count: 32"): "Cluster.Size: SMALL",
    group("count: 33"): "Cluster.Size: MEDIUM",
    group("count: 32") + "\nlogin: {instance_type: m7i.xlarge}": "Cluster.Size: MEDIUM",
    group("count: {min: 0, max: 513}"): "Cluster.Size: LARGE",
    "targets: {pcs: {size: large}}": "Cluster.Size: LARGE",
    'slurm: {version: "26.05"}': "Cluster.Scheduler.Version: '26.05'",
    "slurm: {accounting: managed}": "Cluster.SlurmConfiguration.Accounting: {Mode: STANDARD}",
    "slurm: {accounting: managed}\ntargets: {pcs: {purge_accounting: 90d}}": """
        Cluster.SlurmConfiguration.Accounting: {Mode: STANDARD, DefaultPurgeTimeInDays: 90}
    """,
    # Login nodes are public only with SSH from outside.
    f"{LOGIN}network: {{ssh_from: [203.0.113.0/24]}}": """
        LoginLaunch.NetworkInterfaces.0.AssociatePublicIpAddress: true
        LoginLaunch.NetworkInterfaces.0.Groups.0: {Ref: LoginSecurityGroupId}
        Login.SubnetIds: [{Ref: PublicSubnetId}]
        Login.ScalingConfiguration: {MinInstanceCount: 2, MaxInstanceCount: 2}
    """,
    group("placement: auto"): """
        Launch.Placement: {GroupName: {Ref: PlacementGroupH200}}
        Resources.PlacementGroupH200.Type: AWS::EC2::PlacementGroup
    """,
    group("placement: none"): """
        Launch.Placement: ABSENT
        Resources.PlacementGroupH200: ABSENT
    """,
    group("placement: {group: mine}"): """
        Launch.Placement: {GroupName: mine}
        Resources.PlacementGroupH200: ABSENT
    """,
    group("image: ami-0a1b2c3d4e5f67890") + "\nsoftware: {os: alinux2023}": """
        Nodes.AmiId: ami-0a1b2c3d4e5f67890
        Launch.BlockDeviceMappings.0.DeviceName: /dev/xvda
    """,
    # Logs are kept at least as long as requested.
    "monitoring: {log_retention: 1d}": "Logs.RetentionInDays: 1",
    "monitoring: {log_retention: 30d}": "Logs.RetentionInDays: 30",
    "monitoring: {log_retention: 45d}": "Logs.RetentionInDays: 60",
    "monitoring: {log_retention: 9999d}": "Logs.RetentionInDays: 3653",
    # Nodes without EFA may be in all private subnets.
    SPECS["several subnets"]: """
        Nodes.SubnetIds: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]
        Launch.NetworkInterfaces: ABSENT
        Cluster.Networking.SubnetIds: [subnet-0a1b2c3d4e5f67890]
    """,
}


@pytest.mark.parametrize(("text", "place", "expected"), members(ROWS, STARTS))
def test_the_value_is_in_the_template(text: str, place: str, expected: Any) -> None:
    assert at(template_of(text), place) == expected


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
    ("fields", "expected"),
    [
        ("labels: {pool: a, fast: ''}", {"Features": "pool=a,fast"}),
        ("labels: {pool: a}, slurm: {Features: x}", {"Features": "pool=a,x"}),
        ("slurm: {Weight: 10}", {"Weight": "10"}),
    ],
)
def test_node_settings(fields: str, expected: dict[str, str]) -> None:
    found = properties_of(group(fields), "NodeGroupH200")["SlurmConfiguration"]
    assert _custom(found["SlurmCustomSettings"]) == expected


def test_groups_of_one_queue_have_their_name_as_a_feature() -> None:
    text = """
node_groups:
  - {name: h200, slurm: {Features: "fast,h200"}}
  - {name: cpu, instance_type: m7i.large, count: 1}
queues: [{name: train, node_groups: [h200, cpu]}]"""
    for name, expected in (("H200", "h200,fast"), ("Cpu", "cpu")):
        slurm = properties_of(text, f"NodeGroup{name}")["SlurmConfiguration"]
        assert _custom(slurm["SlurmCustomSettings"])["Features"] == expected


def test_gpus_are_partitioned_at_boot_and_in_gres_conf() -> None:
    text = 'node_groups: [{name: h200, mig: {1g.18gb: 2, 2g.35gb: 2}}]\nslurm: {version: "26.05"}'
    slurm = properties_of(text, "NodeGroupH200")["SlurmConfiguration"]
    assert _custom(slurm["SlurmCustomSettings"]) == {"Gres": "gpu:1g.18gb:16,gpu:2g.35gb:16"}
    assert slurm["GresCustomSettings"] == [{"AutoDetect": "nvml"}]
    user_data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]["UserData"]
    assert "1g.18gb,1g.18gb,2g.35gb,2g.35gb GPUS=8" in user_data["Fn::Base64"]


ARN = "arn:aws:resource-groups:us-east-1:123456789012:group/a"
RESERVED = {"CapacityReservationId": "cr-0a1b2c3d4e5f67890"}
GROUPED = {"CapacityReservationResourceGroupArn": ARN}


@pytest.mark.parametrize(
    ("capacity", "purchase", "market", "target"),
    [
        ("on-demand", "ONDEMAND", None, None),
        ("{reservation: cr-0a1b2c3d4e5f67890}", "ONDEMAND", None, RESERVED),
        (f"{{reservation_group: '{ARN}'}}", "ONDEMAND", None, GROUPED),
        ("{capacity_block: cr-0a1b2c3d4e5f67890}", "CAPACITY_BLOCK", "capacity-block", RESERVED),
        (
            "{interruptible_reservation: cr-0a1b2c3d4e5f67890}",
            "INTERRUPTIBLE_CAPACITY_RESERVATION",
            "interruptible-capacity-reservation",
            RESERVED,
        ),
        ("spot", "SPOT", None, None),
    ],
)
def test_capacity(capacity: str, purchase: str, market: str | None, target: object) -> None:
    text = group(f"capacity: {capacity}")
    nodes = properties_of(text, "NodeGroupH200")
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    reservation = data.get("CapacityReservationSpecification", {})
    assert nodes["PurchaseOption"] == purchase
    assert data.get("InstanceMarketOptions", {}).get("MarketType") == market
    assert reservation.get("CapacityReservationTarget") == target
    assert ("InstanceType" in data) == (purchase == "CAPACITY_BLOCK")
    spot = {"AllocationStrategy": "capacity-optimized"} if capacity == "spot" else None
    assert nodes.get("SpotOptions") == spot


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
    text = group(f"instance_type: {type}")
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    found = data["NetworkInterfaces"]
    places = [(i["NetworkCardIndex"], i["DeviceIndex"], i.get("InterfaceType")) for i in found]
    assert places == slots
    assert all(i["Groups"] == [{"Ref": "ClusterSecurityGroupId"}] for i in found)
    assert all(i["SubnetId"] == {"Ref": "PrivateSubnetId"} for i in found)
    assert "SecurityGroupIds" not in data


ALICE = "login: {}\nusers: [{name: alice, uid: 2001, ssh_key: 'ssh-ed25519 AAAA alice'}]\n"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("login: {}", "`users` with an `ssh_key` can use SSH"),
        (ALICE, 'AWS-StartSSHSession --parameters portNumber=%p" USER@INSTANCE-ID'),
        (f"{ALICE}network: {{ssh_from: [203.0.113.0/24]}}", "`ssh USER@PUBLIC-ADDRESS`"),
        # One thread per core.
        (LOGIN, "| (login) | 2 | m7i.xlarge | | 2 |"),
        ("", "SMALL, manages at most 32 nodes and 256 jobs at a time"),
        ("", "SMALL, for 256 jobs, also when idle"),
    ],
)
def test_the_readme_is_about_the_cluster(spec: str, says: str) -> None:
    assert says in " ".join(files_of(spec)["README.md"].split())


@pytest.mark.parametrize("metrics", ["cloudwatch", "none"])
def test_the_readme_says_what_another_block_replaces(metrics: str) -> None:
    block = "{capacity_block: cr-0a1b2c3d4e5f67890, ends: 2026-12-24T11:30:00Z}"
    spec = (
        group(f"count: 2, capacity: {block}") + f"\nlogin: {{}}\nmonitoring: {{metrics: {metrics}}}"
    )
    readme = " ".join(files_of(spec)["README.md"].split())
    assert ("another id replaces them at once" in readme) == (metrics == "cloudwatch")

"""The request, member by member."""

import json
import re
from typing import Any

import pytest

from tests.support.tables import at, members
from tests.targets.hyperpod_slurm.planned import files_of, groups_of, properties_of, request_of
from tests.targets.hyperpod_slurm.specs import (
    AT_ONCE,
    CUSTOMER,
    DATABASE,
    EXISTING,
    LEGACY,
    LOGIN,
    SECRET,
    SPECS,
    STORAGE,
    USERS,
)

# By spec: member of the request, what it is.
REQUESTS = {
    "": """
        ClusterName: example
        Orchestrator: {Slurm: {}}
        NodeProvisioningMode: Continuous
    """,
    AT_ONCE: """
        Orchestrator: {Slurm: {SlurmConfigStrategy: Managed}}
        NodeProvisioningMode: ABSENT
    """,
    CUSTOMER: "Orchestrator: {Slurm: {}}",
    LEGACY: """
        Orchestrator: ABSENT
        NodeProvisioningMode: ABSENT
    """,
    "resilience: {replace_failed_nodes: false}": "NodeRecovery: None",
    "tags: {team: a b}": "Tags: [{Key: team, Value: a b}]",
    DATABASE: """
        Orchestrator: {Slurm: {AccountingDatabase: {Endpoint: db.example.com, Port: 3306, Name:
            slurm_acct_db, SecretArn:
            'arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3'}}}
    """,
    EXISTING: """
        VpcConfig: {SecurityGroupIds: [sg-0a1b2c3d4e5f67890, sg-0a1b2c3d4e5f67891], Subnets:
            [subnet-0a1b2c3d4e5f67890]}
    """,
}


@pytest.mark.parametrize(("text", "member", "expected"), members(REQUESTS))
def test_request(text: str, member: str, expected: Any) -> None:
    assert at(request_of(text), member) == expected


# By spec: group and member, what it is.
GROUPS = {
    "": """
        controller.LifeCycleConfig: ABSENT
        h200.InstanceType: ml.p5en.48xlarge
        h200.InstanceCount: 2
        h200.SlurmConfig: {NodeType: Compute, PartitionNames: [h200]}
        h200.InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 500}}]
    """,
    "node_groups: [{name: h200, count: {min: 1, max: 4}}]": """
        h200.MinInstanceCount: 1
        h200.InstanceCount: 4
    """,
    "node_groups: [{name: h200, count: 0}]": "h200.InstanceCount: 0",
    LOGIN: """
        login.SlurmConfig: {NodeType: Login}
        login.InstanceCount: 2
        login.OverrideVpcConfig: ABSENT
    """,
    LOGIN + "network: {ssh_from: [203.0.113.0/24]}": """
        login.OverrideVpcConfig: {SecurityGroupIds: ['${ClusterSecurityGroupId}',
            '${LoginSecurityGroupId}'], Subnets: ['${PrivateSubnetId}']}
    """,
    STORAGE: """
        controller.InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 500}},
            {FsxLustreConfig: {DnsName: '${StorageFsxDnsName}', MountName: '${StorageFsxMountName}',
            MountPath: /fsx}}, {FsxOpenZfsConfig: {DnsName: '${StorageHomeDnsName}', MountPath:
            /home}}]
    """,
    STORAGE + LEGACY: "h200.InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 500}}]",
    "node_groups: [{name: h200, root_volume: {size: 1024GiB}}]": """
        h200.InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 1024}}]
    """,
    LEGACY: "h200.SlurmConfig: ABSENT",
    SPECS["training plan"]: """
        h200.TrainingPlanArn: arn:aws:sagemaker:us-east-1:111122223333:training-plan/p5en-fortnight
    """,
    SPECS["health"]: "h200.OnStartDeepHealthChecks: [InstanceStress, MultiNodeTrainingValidation]",
    SPECS["image"]: """
        h200.ImageId: ami-0a1b2c3d4e5f67890
        h200.ThreadsPerCore: 1
    """,
    "node_groups: [{name: h200, efa_layout: efa-only}]": """
        h200.NetworkInterface: {InterfaceType: efa-only}
    """,
    SPECS["several types"]: """
        h200.InstanceType: ABSENT
        h200.InstanceRequirements: {InstanceTypes: [ml.g6e.12xlarge, ml.g6.12xlarge]}
    """,
    "queues: [{name: train, node_groups: [h200]}]": """
        h200.SlurmConfig: {NodeType: Compute, PartitionNames: [train]}
    """,
}


@pytest.mark.parametrize(("text", "place", "expected"), members(GROUPS))
def test_group(text: str, place: str, expected: Any) -> None:
    group, member = place.split(".")
    assert at(groups_of(text)[group], member) == expected


INIT = "OnInitComplete: on_init_complete.sh"
EXISTING_LUSTRE = """storage:
  - {mount: /fsx, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}}
"""
TWO_GROUPS = """node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: m7i.4xlarge, count: 2}
"""
# Spec, name of the member and of the script; None where there are no scripts.
SCRIPTS: list[tuple[str, str | None]] = [
    ("", None),
    (EXISTING + EXISTING_LUSTRE, None),
    # Users could not write to it.
    (STORAGE.partition("  - {mount: /home")[0], INIT),
    # It hides the home of the image's user.
    ("storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}]", INIT),
    ("storage: [{mount: /data, type: fsx-openzfs, size: 1024GiB, throughput: 320}]", None),
    # HyperPod's default partition has login nodes, and the nodes of every queue.
    (LOGIN, INIT),
    (TWO_GROUPS, INIT),
    ("slurm: {accounting: managed}", None),
    (DATABASE, None),
    (USERS, INIT),
    ("software: {scripts: [{run: 's3://my-bucket/a.sh'}]}", INIT),
    ("node_groups: [{name: h200, scratch: /scratch}]", INIT),
    ("slurm: {settings: {MaxJobCount: 5000}}", INIT),
    ("queues: [{name: a, node_groups: [h200], time_limit: 7d}]", INIT),
    ("monitoring: {metrics: managed-prometheus}", INIT),
    ("monitoring: {metrics: cloudwatch}", INIT),
    ("slurm: {cgroup_settings: {ConstrainRAMSpace: 'yes'}}", INIT),
    ("slurm: {accounting: managed, accounts: [{name: vision}]}", INIT),
    # HyperPod mounts no EFS; nothing else about this one needs a script.
    (
        "network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}\n"
        "storage: [{mount: /models, type: efs, existing: {id: fs-0a1b2c3d4e5f67890}}]",
        INIT,
    ),
    (SPECS["second lustre"], INIT),
    (SPECS["efs and bucket"], INIT),
    (CUSTOMER, "OnCreate: on_create.sh"),
    (LEGACY, "OnCreate: on_create.sh"),
]


@pytest.mark.parametrize(("text", "expected"), SCRIPTS)
def test_scripts(text: str, expected: str | None) -> None:
    for group in groups_of(text).values():
        if expected is None:
            assert "LifeCycleConfig" not in group
            continue
        config = group["LifeCycleConfig"]
        member, script = expected.split(": ")
        assert config.keys() == {"SourceS3Uri", member}
        assert config[member] == script
        assert f"lifecycle/{script}" in files_of(text)
        form = r"s3://\$\{ScriptsBucketName\}/lifecycle/[0-9a-f]{16}/"
        assert re.fullmatch(form, config["SourceS3Uri"])
    uploaded = {path for path in files_of(text) if path.startswith("lifecycle/")}
    assert bool(uploaded) == (expected is not None)


def test_a_changed_script_has_another_key() -> None:
    others = f"{USERS}\nsoftware: {{scripts: [{{run: 's3://my-bucket/a.sh'}}]}}"
    places = {groups_of(text)["h200"]["LifeCycleConfig"]["SourceS3Uri"] for text in (USERS, others)}
    assert len(places) == 2


def test_provisioning_parameters() -> None:
    parameters = json.loads(files_of(SPECS["legacy"])["lifecycle/provisioning_parameters.json"])
    assert parameters == {
        "version": "1.0.0",
        "workload_manager": "slurm",
        "controller_group": "controller",
        "login_group": "login",
        "worker_groups": [{"instance_group_name": "h200", "partition_name": "h200"}],
        "fsx_dns_name": "${StorageFsxDnsName}",
        "fsx_mountname": "${StorageFsxMountName}",
        "fsx_openzfs_dns_name": "${StorageHomeDnsName}",
    }


def test_several_controllers_share_a_database_and_a_folder() -> None:
    files = files_of(SPECS["several controllers"])
    parameters = json.loads(files["lifecycle/provisioning_parameters.json"])
    assert groups_of(SPECS["several controllers"])["controller"]["InstanceCount"] == 3
    assert parameters["slurm_configurations"] == {
        "slurm_database_secret_arn": SECRET,
        "slurm_database_endpoint": "db.example.com",
        "slurm_shared_directory": "/fsx",
        "slurm_database_user": "slurm",
    }


def test_one_controller_shares_nothing() -> None:
    files = files_of(SPECS["legacy database"])
    assert "slurm_configurations" not in files["lifecycle/provisioning_parameters.json"]
    assert "lifecycle/controllers.sh" not in files


EFA_LUSTRE = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}
  - {mount: /home, type: fsx-openzfs, size: 512GiB, throughput: 160}
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: c6i.8xlarge, count: 1}
"""
# Mode, group, what HyperPod mounts by itself: a client of EFA is set up before the first mount.
MOUNTED = [
    ("api", "controller", ["/fsx", "/home"]),
    ("api", "cpu", ["/fsx", "/home"]),
    ("api", "h200", ["/home"]),
    ("customer-managed", "controller", ["/fsx", "/home"]),
    ("customer-managed", "h200", ["/home"]),
    ("legacy", "h200", []),
]


@pytest.mark.parametrize(("mode", "group", "mounted"), MOUNTED)
def test_the_script_mounts_lustre_over_efa(mode: str, group: str, mounted: list[str]) -> None:
    text = f"{EFA_LUSTRE}targets: {{hyperpod-slurm: {{mode: {mode}}}}}\n"
    storage = groups_of(text)[group]["InstanceStorageConfigs"]
    paths = [found["MountPath"] for item in storage for found in item.values() if len(found) > 1]
    assert paths == mounted
    table = json.loads(files_of(text)["lifecycle/file-systems.json"])
    assert [entry["mount"] for entry in table] == ["/fsx", "/home"]


@pytest.mark.parametrize(
    "name", [name for name in SPECS if not name.startswith(("legacy", "several controllers"))]
)
def test_only_mode_legacy_has_provisioning_parameters(name: str) -> None:
    assert not any("provisioning_parameters" in path for path in files_of(SPECS[name]))


def test_the_template_omits_members_that_only_the_api_accepts() -> None:
    group = properties_of(SPECS["health"])["InstanceGroups"][1]
    assert group["OnStartDeepHealthChecks"] == ["InstanceStress"]


PARTITION, RELEASED = "jobs without `--partition` run in `dev`", "released after 2026-08-30"
README = [
    # Spec, words of the README, whether they are there.
    ("", PARTITION, True),
    (LOGIN, PARTITION, False),
    (DATABASE, RELEASED, True),
    # Scripts connect it.
    (f"{DATABASE}\ntargets: {{hyperpod-slurm: {{mode: legacy}}}}", RELEASED, False),
]


@pytest.mark.parametrize(("text", "words", "there"), README)
def test_the_readme_is_about_the_cluster(text: str, words: str, there: bool) -> None:
    assert (words in " ".join(files_of(text)["README.md"].split())) is there

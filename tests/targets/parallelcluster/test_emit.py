"""What stands where in `cluster.yaml`: one row, one decision."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import yaml

from clustergen import overlay
from clustergen.spec.quantities import format_slurm_duration
from clustergen.targets.parallelcluster import TARGET
from clustergen.targets.parallelcluster.storage import storage_name
from clustergen.yaml_text import yaml_text
from tests.targets.parallelcluster.planned import files, plan_of
from tests.targets.parallelcluster.specs import SPECS

ABSENT = object()
QUEUE = ("Scheduling", "SlurmQueues", 0)
RESOURCE = (*QUEUE, "ComputeResources", 0)
SECOND = (*QUEUE, "ComputeResources", 1)
PLACEMENT = (*QUEUE, "Networking", "PlacementGroup")
_TWO = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.large, count: 2}]\n"
MIXED = _TWO + "queues: [{name: all, node_groups: [h200, cpu]}]"
MIXED_LAST = _TWO + "queues: [{name: all, node_groups: [cpu, h200]}]"
SEVERAL_TYPES = """
node_groups: [{name: tune, instance_types: [g6e.xlarge, g6.xlarge], count: 1, """
SLURM = ("Scheduling", "SlurmSettings")
HEAD = ("HeadNode",)
POOL = ("LoginNodes", "Pools", 0)

EXISTING = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67890]
"""
LOGIN = "login: {instance_type: m7i.large}\n"
OUTSIDE = "network: {ssh_from: [203.0.113.0/24]}\n"


def group(fields: str) -> str:
    return f"node_groups: [{{name: h200, {fields}}}]"


def volume(fields: str) -> str:
    return f"storage: [{{mount: /work, type: ebs, size: 100GiB, {fields}}}]"


ROWS: list[tuple[str, tuple[str | int, ...], Any]] = [
    # Fragment, path, what stands there.
    ("", ("Image",), {"Os": "ubuntu2404"}),
    ("", ("Imds",), {"ImdsSupport": "v2.0"}),
    ("", (*HEAD, "Imds"), {"Secured": True}),
    ("", (*HEAD, "LocalStorage", "RootVolume"), {"VolumeType": "gp3", "Encrypted": True}),
    (
        "head_node: {root_volume: {size: 200GiB}}",
        (*HEAD, "LocalStorage", "RootVolume", "Size"),
        200,
    ),
    # Head and login nodes always have the hook, as an update cannot add it.
    (
        "",
        (*HEAD, "CustomActions", "OnNodeConfigured", "Sequence"),
        [
            {
                "Script": "s3://${ScriptsBucketName}/clusters/example/hook.sh",
                "Args": ["head", "configured", "${ScriptsBucketName}"],
            }
        ],
    ),
    (
        "",
        (*HEAD, "Iam", "S3Access"),
        [{"BucketName": "${ScriptsBucketName}", "KeyName": "*"}],
    ),
    ("", ("SharedStorage",), ABSENT),
    ("", (*QUEUE, "CustomActions"), ABSENT),
    (
        "storage: [{mount: /fsx, type: fsx-lustre, size: 19200GiB, throughput: 250, efa: true}]",
        (*QUEUE, "CustomActions", "OnNodeStart", "Sequence", 0, "Args"),
        ["8", "0"],
    ),
    # Who comes in, and where.
    ("", (*HEAD, "Ssh"), {"AllowedIps": "127.0.0.1/32"}),
    ("", (*HEAD, "Networking", "SubnetId"), "${PrivateSubnetId}"),
    (OUTSIDE, (*HEAD, "Networking", "SubnetId"), "${PublicSubnetId}"),
    (OUTSIDE, (*HEAD, "Networking", "ElasticIp"), True),
    (OUTSIDE, (*HEAD, "Networking", "AdditionalSecurityGroups", 1), "${LoginSecurityGroupId}"),
    ("network: {ssh_from: [10.0.0.0/8]}", (*HEAD, "Networking", "ElasticIp"), ABSENT),
    # Where it is cannot change when login nodes come or go; it is then not reachable from outside.
    (OUTSIDE + LOGIN, (*HEAD, "Networking", "SubnetId"), "${PublicSubnetId}"),
    (
        OUTSIDE + LOGIN,
        (*HEAD, "Networking", "AdditionalSecurityGroups"),
        ["${ClusterSecurityGroupId}"],
    ),
    (OUTSIDE + LOGIN, (*HEAD, "Ssh"), {"AllowedIps": "127.0.0.1/32"}),
    (OUTSIDE + LOGIN, (*POOL, "Networking", "SubnetIds"), ["${PublicSubnetId}"]),
    (EXISTING + "  ssh_from: [10.0.0.0/8]", (*HEAD, "Ssh", "AllowedIps"), "10.0.0.0/8"),
    (
        EXISTING + "  ssh_from: [pl-0a1b2c3d4e5f67890]",
        (*HEAD, "Ssh", "AllowedIps"),
        "pl-0a1b2c3d4e5f67890",
    ),
    (
        EXISTING,
        (*QUEUE, "Networking"),
        {
            "SubnetIds": ["subnet-0a1b2c3d4e5f67890"],
            "AdditionalSecurityGroups": ["sg-0a1b2c3d4e5f67890"],
            "PlacementGroup": {"Enabled": True},
        },
    ),
    ("targets: {parallelcluster: {key_name: me}}", (*HEAD, "Ssh", "KeyName"), "me"),
    # How nodes are bought and placed.
    ("", PLACEMENT, {"Enabled": True}),
    ("", (*RESOURCE, "Networking"), ABSENT),
    ("", (*RESOURCE, "Efa"), {"Enabled": True}),
    (group("efa: false"), (*RESOURCE, "Efa"), ABSENT),
    (group("placement: none"), PLACEMENT, {"Enabled": False}),
    (group("placement: {group: mine}"), PLACEMENT, {"Name": "mine"}),
    (group("efa: false"), PLACEMENT, ABSENT),
    (group("efa: false, placement: none"), PLACEMENT, {"Enabled": False}),
    (MIXED, PLACEMENT, {"Enabled": True}),
    (MIXED, (*RESOURCE, "Networking"), ABSENT),
    (MIXED, (*SECOND, "Networking"), {"PlacementGroup": {"Enabled": False}}),
    (MIXED_LAST, PLACEMENT, ABSENT),
    (MIXED_LAST, (*SECOND, "Networking"), {"PlacementGroup": {"Enabled": True}}),
    (group("capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"), (*RESOURCE, "Networking"), ABSENT),
    (
        group("capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"),
        (*QUEUE, "CapacityType"),
        "CAPACITY_BLOCK",
    ),
    (
        group("capacity: {reservation: cr-0a1b2c3d4e5f67890}"),
        (*RESOURCE, "CapacityReservationTarget"),
        {"CapacityReservationId": "cr-0a1b2c3d4e5f67890"},
    ),
    (group("capacity: spot"), (*QUEUE, "CapacityType"), "SPOT"),
    (group("capacity: spot"), (*QUEUE, "AllocationStrategy"), ABSENT),
    (group("count: {max: 4}"), (*RESOURCE, "MinCount"), 0),
    (
        SPECS["spot over zones"],
        ("Scheduling", "SlurmQueues", 1, "Networking", "SubnetIds"),
        ["subnet-0a1b2c3d4e5f67890", "subnet-0a1b2c3d4e5f67891"],
    ),
    # What nodes are.
    (group("threads_per_core: 1"), (*RESOURCE, "DisableSimultaneousMultithreading"), True),
    (
        group("instance_type: hpc6id.32xlarge, threads_per_core: 1"),
        (*RESOURCE, "DisableSimultaneousMultithreading"),
        True,
    ),
    (
        group("instance_type: hpc6id.32xlarge"),
        (*RESOURCE, "DisableSimultaneousMultithreading"),
        ABSENT,
    ),
    (group("health_checks: [gpu]"), (*RESOURCE, "HealthChecks"), {"Gpu": {"Enabled": True}}),
    (
        group("scratch: /local"),
        (*QUEUE, "ComputeSettings", "LocalStorage", "EphemeralVolume"),
        {"MountDir": "/local"},
    ),
    (
        group('labels: {team: a, fast: ""}'),
        (*RESOURCE, "CustomSlurmSettings", "Feature"),
        "p5en.48xlarge,h200,efa,gpu,team=a,fast",
    ),
    (
        group("slurm: {Features: gpu80}"),
        (*RESOURCE, "CustomSlurmSettings"),
        {"Feature": "p5en.48xlarge,h200,efa,gpu,gpu80"},
    ),
    (
        "queues: [{name: q, node_groups: [h200], slurm: {maxtime: 1-0}}]",
        (*QUEUE, "CustomSlurmSettings"),
        {"maxtime": "1-0"},
    ),
    (
        "slurm: {settings: {SchedulerParameters: defer}}",
        (*SLURM, "CustomSlurmSettings", 0, "SchedulerParameters"),
        "defer,nohold_on_prolog_fail",
    ),
    (group("slurm: {Weight: 5}"), (*RESOURCE, "DynamicNodePriority"), 5),
    (group("slurm: {Weight: 5}"), (*RESOURCE, "CustomSlurmSettings"), ABSENT),
    (
        group("image: ami-0a1b2c3d4e5f67890"),
        (*QUEUE, "Image", "CustomAmi"),
        "ami-0a1b2c3d4e5f67890",
    ),
    (SPECS["rocky"], ("Image", "CustomAmi"), "ami-0a1b2c3d4e5f67890"),
    (SPECS["rocky"], (*HEAD, "Image"), ABSENT),
    (SPECS["rocky"], (*QUEUE, "Image", "CustomAmi"), "ami-0a1b2c3d4e5f67891"),
    # Slurm.
    ("slurm: {idle_timeout: 90s}", (*SLURM, "ScaledownIdletime"), 2),
    ("", (*SLURM, "QueueUpdateStrategy"), "DRAIN"),
    (
        "targets: {parallelcluster: {queue_update_strategy: compute-fleet-stop}}",
        (*SLURM, "QueueUpdateStrategy"),
        "COMPUTE_FLEET_STOP",
    ),
    (
        "slurm: {settings: {EnforcePartLimits: true, MaxJobCount: 5000}}",
        (*SLURM, "CustomSlurmSettings"),
        [{"EnforcePartLimits": "YES"}, {"MaxJobCount": 5000}],
    ),
    (
        "queues: [{name: q, node_groups: [h200], time_limit: 7d, priority: 9, exclusive: true}]",
        (*QUEUE, "CustomSlurmSettings"),
        {"MaxTime": "7-00:00:00", "PriorityTier": 9, "PriorityJobFactor": 9},
    ),
    (
        "queues: [{name: q, node_groups: [h200], exclusive: true}]",
        (*QUEUE, "JobExclusiveAllocation"),
        True,
    ),
    (
        SPECS["partitions over other queues"],
        (*SLURM, "CustomSlurmSettings", 2),
        {
            "PartitionName": "all",
            "Nodes": "train-st-h200-[1-1],train-dy-h200-[1-7],"
            "tune-dy-cheap-[1-4],cpu-dy-cpu-[1-20]",
            "Default": "YES",
            "OverSubscribe": "EXCLUSIVE",
        },
    ),
    (SPECS["partitions over other queues"], (*QUEUE, "CustomSlurmSettings", "Default"), "NO"),
    (
        SPECS["partitions over other queues"],
        (*SLURM, "Database", "Uri"),
        "db.example.com",
    ),
    (
        SPECS["partitions over other queues"].replace("    secret:", "    port: 3306\n    secret:"),
        (*SLURM, "Database", "Uri"),
        "db.example.com:3306",
    ),
    (
        """node_groups: [{name: h200, instance_type: p5en.48xlarge, count: {min: 4, max: 16}}]
queues:
  - {name: debug, node_groups: [h200], nodes: {h200: "1-6,16"}}
  - {name: train, node_groups: [h200]}""",
        (*SLURM, "CustomSlurmSettings", 0),
        {
            "PartitionName": "debug",
            "Nodes": "train-st-h200-[1-4],train-dy-h200-[1-2,12-12]",
            "Default": "YES",
        },
    ),
    (
        """queues:
  - {name: debug, node_groups: [h200]}
  - {name: train, node_groups: [h200], default: true}""",
        (*QUEUE, "Name"),
        "train",
    ),
    # Storage.
    (
        "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]",
        ("SharedStorage", 0),
        {
            "MountDir": "/fsx",
            "Name": "fsx",
            "StorageType": "FsxLustre",
            "FsxLustreSettings": {"FileSystemId": "${StorageFsxId}"},
        },
    ),
    (
        "storage: [{mount: /home, type: efs}]",
        ("SharedStorage", 0, "EfsSettings"),
        {"FileSystemId": "${StorageHomeId}", "EncryptionInTransit": True},
    ),
    (volume(""), ("SharedStorage", 0, "EbsSettings", "DeletionPolicy"), "Retain"),
    (volume("on_delete: delete"), ("SharedStorage", 0, "EbsSettings", "DeletionPolicy"), "Delete"),
    # Scripts.
    (
        SPECS["a volume and scripts"],
        (*HEAD, "Iam", "S3Access"),
        [
            {"BucketName": "${ScriptsBucketName}", "KeyName": "*"},
            {"BucketName": "my-bucket", "KeyName": "setup.sh"},
        ],
    ),
    (
        SPECS["a volume and scripts"],
        (*POOL, "Iam", "AdditionalIamPolicies", 1),
        {"Policy": "${ScriptsPolicyArn}"},
    ),
    (
        LOGIN,
        (*POOL, "Iam", "AdditionalIamPolicies", 1),
        {"Policy": "${ScriptsPolicyArn}"},
    ),
    (
        SPECS["a volume and scripts"],
        (*QUEUE, "CustomActions", "OnNodeStart", "Sequence"),
        [{"Script": "https://example.com/x.sh"}],
    ),
    (
        SPECS["a volume and scripts"],
        (*QUEUE, "CustomActions", "OnNodeConfigured", "Sequence", 1),
        {"Script": "s3://my-bucket/setup.sh", "Args": ["--fast", "1", "yes"]},
    ),
    # One type is in all zones too, the first one preferred.
    *(
        (SPECS["spot over zones"], (*path, key), value)
        for path, key, value in (
            (
                (*QUEUE, "Networking"),
                "SubnetIds",
                ["subnet-0a1b2c3d4e5f67890", "subnet-0a1b2c3d4e5f67891"],
            ),
            (QUEUE, "AllocationStrategy", "prioritized"),
            (RESOURCE, "Instances", [{"InstanceType": "m7i.4xlarge"}]),
        )
    ),
    # Spot is by capacity: an interruption ends a job on all its nodes.
    (
        SPECS["spot over zones"],
        ("Scheduling", "SlurmQueues", 1, "AllocationStrategy"),
        "capacity-optimized-prioritized",
    ),
    (
        f"{SEVERAL_TYPES}capacity: spot}}]",
        ("Scheduling", "SlurmQueues", 1, "AllocationStrategy"),
        "capacity-optimized",
    ),
    (
        f"{SEVERAL_TYPES}}}]",
        ("Scheduling", "SlurmQueues", 1, "AllocationStrategy"),
        "lowest-price",
    ),
    # The rest.
    (
        "monitoring: {log_retention: 31d}",
        ("Monitoring", "Logs", "CloudWatch", "RetentionInDays"),
        60,
    ),
    (
        "monitoring: {dashboards: none}",
        ("Monitoring", "Dashboards", "CloudWatch", "Enabled"),
        False,
    ),
    ("tags: {team: research}", ("Tags",), [{"Key": "team", "Value": "research"}]),
    (
        LOGIN,
        (*POOL, "Iam", "AdditionalIamPolicies", 0, "Policy"),
        "${SessionPolicyArn}",
    ),
    (
        SPECS["China"],
        (*HEAD, "Iam", "AdditionalIamPolicies", 0, "Policy"),
        "${SessionPolicyArn}",
    ),
]


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        inside = step < len(document) if isinstance(step, int) else step in document
        if not inside:
            return ABSENT
        document = document[step]
    return document


@pytest.mark.parametrize(("fragment", "path", "expected"), ROWS)
def test_the_value_is_in_the_document(
    fragment: str, path: tuple[str | int, ...], expected: Any
) -> None:
    assert at(TARGET.document(plan_of(fragment)), path) == expected


@pytest.mark.parametrize("name", SPECS)
def test_the_text_is_the_document(name: str) -> None:
    document = TARGET.document(plan_of(SPECS[name]))
    assert yaml.safe_load(yaml_text(document)) == document


def test_scripts_are_at_the_location_in_the_configuration() -> None:
    rendered = files(SPECS["capacity block with everything around it"])
    for name in ("users.sh", "containers.sh", "hook.sh"):
        digest = hashlib.sha256(rendered[f"scripts/{name}"].encode()).hexdigest()[:16]
        named = f'Script: "s3://${{ScriptsBucketName}}/{digest}/{name}"'
        assert named in rendered["cluster.yaml"]
        assert f" {digest}/{name}" in rendered["deploy.sh"]
        assert name == "hook.sh" or f"setup {digest}/{name} " in rendered["scripts/hook.sh"]
    hook = "s3://${ScriptsBucketName}/clusters/example/hook.sh"
    assert f'Script: "{hook}"' in rendered["cluster.yaml"]
    assert "clusters/example/hook.sh" in rendered["deploy.sh"]


def test_an_overlay_merges_queues_by_name() -> None:
    document = TARGET.document(plan_of())
    over = {"Scheduling": {"SlurmQueues": [{"Name": "h200", "Tags": [{"Key": "a", "Value": "b"}]}]}}
    merged = overlay.apply(document, over, keys=TARGET.schema.list_keys)
    assert at(merged, (*RESOURCE, "InstanceType")) == "p5en.48xlarge"
    assert at(merged, (*QUEUE, "Tags")) == [{"Key": "a", "Value": "b"}]


ADDED = [
    # Path of a list, what an overlay adds to it.
    ((*HEAD, "Iam", "S3Access"), {"BucketName": "my-data"}),
    ((*QUEUE, "Iam", "S3Access"), {"BucketName": "my-data", "EnableWriteAccess": True}),
    ((*HEAD, "Iam", "AdditionalIamPolicies"), {"Policy": "arn:aws:iam::aws:policy/A"}),
    ((*QUEUE, "CustomActions", "OnNodeConfigured", "Sequence"), {"Script": "s3://my-data/x.sh"}),
]


@pytest.mark.parametrize(("path", "item"), ADDED)
def test_an_overlay_adds_to_what_nodes_need(
    path: tuple[str | int, ...], item: dict[str, Any]
) -> None:
    """Without our own access, policies and scripts, nodes do not boot or cannot be reached."""
    document = TARGET.document(plan_of("software: {containers: pyxis}"))
    over: Any = [item]
    for step in reversed(path):
        over = [{"Name": "h200", **over}] if step == 0 else {step: over}
    merged = overlay.apply(document, over, keys=TARGET.schema.list_keys)
    assert at(merged, path) == [*at(document, path), item]


def test_an_overlay_changes_an_access_of_the_same_object() -> None:
    document = TARGET.document(plan_of("software: {containers: pyxis}"))
    ours = {"BucketName": "${ScriptsBucketName}", "KeyName": "*"}
    over = {"HeadNode": {"Iam": {"S3Access": [{**ours, "EnableWriteAccess": True}]}}}
    merged = overlay.apply(document, over, keys=TARGET.schema.list_keys)
    assert at(merged, (*HEAD, "Iam", "S3Access")) == [{**ours, "EnableWriteAccess": True}]


@pytest.mark.parametrize(
    ("mount", "name"),
    [
        ("/fsx", "fsx"),
        ("/data/x", "data+x"),
        ("/default", "storage-" + hashlib.sha256(b"/default").hexdigest()[:8]),
        ("/" + "x" * 30, "x" * 30),
        ("/" + "x" * 31, "storage-" + hashlib.sha256(("/" + "x" * 31).encode()).hexdigest()[:8]),
    ],
)
def test_storage_names(mount: str, name: str) -> None:
    assert storage_name(mount) == name


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (60, "0-00:01:00"),
        (5400, "0-01:30:00"),
        (86400, "1-00:00:00"),
        (7 * 86400 + 1, "7-00:00:01"),
    ],
)
def test_slurm_times(seconds: int, text: str) -> None:
    assert format_slurm_duration(seconds) == text


NEXT_STEPS = [
    # Fragment, words of the README, words that it lacks.
    ("", ["aws ssm start-session"], ["pcluster ssh", "ssh USER@ADDRESS", "nothing is open on it"]),
    (OUTSIDE, ["`pcluster ssh -n example", "port 22 is open to `ssh_from`"], ["ssh USER@ADDRESS"]),
    (OUTSIDE + LOGIN, ["ssh USER@ADDRESS", "Elastic IP; nothing is open on it"], ["pcluster ssh"]),
    (
        "slurm: {accounting: {endpoint: db.example, user: slurm, "
        "secret: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:x'}}",
        ["db.example, whose security group has to allow theirs on port 3306"],
        [],
    ),
]


@pytest.mark.parametrize(("fragment", "present", "lacking"), NEXT_STEPS)
def test_the_next_steps_work_for_the_cluster(
    fragment: str, present: list[str], lacking: list[str]
) -> None:
    text = files(fragment)["README.md"]
    assert [words for words in present if words not in text] == []
    assert [words for words in lacking if words in text] == []

"""What stands where in `cluster.yaml`: one row, one decision."""

import hashlib
import json
from typing import Any

import pytest
import yaml

from clustergen import overlay
from clustergen.base.yaml_text import yaml_text
from clustergen.spec.quantities import format_slurm_duration
from clustergen.targets.parallelcluster import TARGET
from clustergen.targets.parallelcluster.storage import storage_name
from tests.support.tables import at, members
from tests.targets.parallelcluster.planned import files, plan_of
from tests.targets.parallelcluster.specs import SPECS

QUEUE = "Scheduling.SlurmQueues.0"
RESOURCE = f"{QUEUE}.ComputeResources.0"
STARTS = {
    "Queue": QUEUE,
    "Resource": RESOURCE,
    "Second": f"{QUEUE}.ComputeResources.1",
    "Slurm": "Scheduling.SlurmSettings",
    "Pool": "LoginNodes.Pools.0",
}
_TWO = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.large, count: 2}]\n"
MIXED = _TWO + "queues: [{name: all, node_groups: [h200, cpu]}]"
MIXED_LAST = _TWO + "queues: [{name: all, node_groups: [cpu, h200]}]"
SEVERAL_TYPES = """
node_groups: [{name: tune, instance_types: [g6e.xlarge, g6.xlarge], count: 1, """
EXISTING = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67890]
"""
LOGIN = "login: {instance_type: m7i.large}\n"
OUTSIDE = "network: {ssh_from: [203.0.113.0/24]}\n"
KEY = "users: [{name: ann, uid: 2001, ssh_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample ann}]\n"


def group(fields: str) -> str:
    return f"node_groups: [{{name: h200, {fields}}}]"


def volume(fields: str) -> str:
    return f"storage: [{{mount: /work, type: ebs, size: 100GiB, {fields}}}]"


ROWS = {
    # By fragment: path, what stands there.
    "": """
        SharedStorage: ABSENT
        Queue.CustomActions: ABSENT
    """,
    "head_node: {root_volume: {size: 200GiB}}": "HeadNode.LocalStorage.RootVolume.Size: 200",
    "storage: [{mount: /fsx, type: fsx-lustre, size: 19200GiB, throughput: 250, efa: true}]": """
        Queue.CustomActions.OnNodeStart.Sequence.0.Args: ['8', '0']
    """,
    OUTSIDE: """
        HeadNode.Networking.SubnetId: ${PublicSubnetId}
        HeadNode.Networking.ElasticIp: true
        HeadNode.Networking.AdditionalSecurityGroups.1: ${LoginSecurityGroupId}
    """,
    "network: {ssh_from: [10.0.0.0/8]}": "HeadNode.Networking.ElasticIp: ABSENT",
    # Where it is cannot change when login nodes come or go; it is then not reachable from outside.
    OUTSIDE + LOGIN: """
        HeadNode.Networking.SubnetId: ${PublicSubnetId}
        HeadNode.Networking.AdditionalSecurityGroups: ['${ClusterSecurityGroupId}']
        HeadNode.Ssh: {AllowedIps: 127.0.0.1/32}
        Pool.Networking.SubnetIds: ['${PublicSubnetId}']
    """,
    EXISTING + "  ssh_from: [10.0.0.0/8]": "HeadNode.Ssh.AllowedIps: 10.0.0.0/8",
    EXISTING + "  ssh_from: [pl-0a1b2c3d4e5f67890]": """
        HeadNode.Ssh.AllowedIps: pl-0a1b2c3d4e5f67890
    """,
    EXISTING: """
        Queue.Networking: {SubnetIds: [subnet-0a1b2c3d4e5f67890], AdditionalSecurityGroups:
            [sg-0a1b2c3d4e5f67890], PlacementGroup: {Enabled: true}}
    """,
    "targets: {parallelcluster: {key_name: me}}": "HeadNode.Ssh.KeyName: me",
    group("efa: false"): """
        Resource.Efa: ABSENT
        Queue.Networking.PlacementGroup: ABSENT
    """,
    group("placement: none"): "Queue.Networking.PlacementGroup: {Enabled: false}",
    group("placement: {group: mine}"): "Queue.Networking.PlacementGroup: {Name: mine}",
    group("efa: false, placement: none"): "Queue.Networking.PlacementGroup: {Enabled: false}",
    MIXED: """
        Queue.Networking.PlacementGroup: {Enabled: true}
        Resource.Networking: ABSENT
        Second.Networking: {PlacementGroup: {Enabled: false}}
    """,
    MIXED_LAST: """
        Queue.Networking.PlacementGroup: ABSENT
        Second.Networking: {PlacementGroup: {Enabled: true}}
    """,
    group("capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"): """
        Resource.Networking: ABSENT
        Queue.CapacityType: CAPACITY_BLOCK
    """,
    group("capacity: {reservation: cr-0a1b2c3d4e5f67890}"): """
        Resource.CapacityReservationTarget: {CapacityReservationId: cr-0a1b2c3d4e5f67890}
    """,
    group("capacity: spot"): """
        Queue.CapacityType: SPOT
        Queue.AllocationStrategy: ABSENT
    """,
    SPECS["spot over zones"]: """
        Scheduling.SlurmQueues.1.Networking.SubnetIds: [subnet-0a1b2c3d4e5f67890,
            subnet-0a1b2c3d4e5f67891]
        # One type is in all zones too, the first one preferred.
        Queue.Networking.SubnetIds: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]
        Queue.AllocationStrategy: prioritized
        Resource.Instances: [{InstanceType: m7i.4xlarge}]
        # Spot is by capacity: an interruption ends a job on all its nodes.
        Scheduling.SlurmQueues.1.AllocationStrategy: capacity-optimized-prioritized
    """,
    # What nodes are.
    group("threads_per_core: 1"): "Resource.DisableSimultaneousMultithreading: true",
    group("instance_type: hpc6id.32xlarge, threads_per_core: 1"): """
        Resource.DisableSimultaneousMultithreading: true
    """,
    group("instance_type: hpc6id.32xlarge"): "Resource.DisableSimultaneousMultithreading: ABSENT",
    # The checks of several GPUs take longer than the three minutes that Slurm waits for.
    group("health_checks: [gpu]"): """
        Resource.HealthChecks: {Gpu: {Enabled: true}}
        Slurm.CustomSlurmSettings: [{BatchStartTimeout: 600}]
    """,
    group("instance_type: g6.xlarge, efa: false, health_checks: [gpu]"): """
        Resource.HealthChecks: {Gpu: {Enabled: true}}
        Slurm.CustomSlurmSettings: ABSENT
    """,
    group("scratch: /local"): """
        Queue.ComputeSettings.LocalStorage.EphemeralVolume: {MountDir: /local}
    """,
    group('labels: {team: a, fast: ""}'): """
        Resource.CustomSlurmSettings.Feature: p5en.48xlarge,h200,efa,gpu,team=a,fast
    """,
    group("slurm: {Features: gpu80}"): """
        Resource.CustomSlurmSettings: {Feature: 'p5en.48xlarge,h200,efa,gpu,gpu80'}
    """,
    "queues: [{name: q, node_groups: [h200], slurm: {maxtime: 1-0}}]": """
        Queue.CustomSlurmSettings: {maxtime: 1-0}
    """,
    "slurm: {settings: {SchedulerParameters: defer}}": """
        Slurm.CustomSlurmSettings.0.SchedulerParameters: defer,nohold_on_prolog_fail
    """,
    group("slurm: {Weight: 5}"): """
        Resource.DynamicNodePriority: 5
        Resource.CustomSlurmSettings: ABSENT
    """,
    group("image: ami-0a1b2c3d4e5f67890"): "Queue.Image.CustomAmi: ami-0a1b2c3d4e5f67890",
    SPECS["rocky"]: """
        Image.CustomAmi: ami-0a1b2c3d4e5f67890
        HeadNode.Image: ABSENT
        Queue.Image.CustomAmi: ami-0a1b2c3d4e5f67891
    """,
    # Slurm.
    "slurm: {idle_timeout: 90s}": "Slurm.ScaledownIdletime: 2",
    "targets: {parallelcluster: {queue_update_strategy: compute-fleet-stop}}": """
        Slurm.QueueUpdateStrategy: COMPUTE_FLEET_STOP
    """,
    "slurm: {settings: {EnforcePartLimits: true, MaxJobCount: 5000}}": """
        Slurm.CustomSlurmSettings: [{EnforcePartLimits: 'YES'}, {MaxJobCount: 5000}]
    """,
    "queues: [{name: q, node_groups: [h200], time_limit: 7d, priority: 9, exclusive: true}]": """
        Queue.CustomSlurmSettings: {MaxTime: '7-00:00:00', PriorityTier: 9, PriorityJobFactor: 9}
    """,
    SPECS["partitions over other queues"]: """
        Slurm.CustomSlurmSettings.2: {PartitionName: all, Nodes:
            'train-st-h200-[1-1],train-dy-h200-[1-7],tune-dy-cheap-[1-4],cpu-dy-cpu-[1-20]',
            Default: 'YES', OverSubscribe: EXCLUSIVE}
        Queue.CustomSlurmSettings.Default: 'NO'
        Slurm.Database.Uri: db.example.com
    """,
    SPECS["partitions over other queues"].replace("    secret:", "    port: 3306\n    secret:"): """
        Slurm.Database.Uri: db.example.com:3306
    """,
    """node_groups: [{name: h200, instance_type: p5en.48xlarge, count: {min: 4, max: 16}}]
queues:
  - {name: debug, node_groups: [h200], nodes: {h200: "1-6,16"}}
  - {name: train, node_groups: [h200]}""": """
        Slurm.CustomSlurmSettings.0: {PartitionName: debug, Nodes:
            'train-st-h200-[1-4],train-dy-h200-[1-2,12-12]', Default: 'YES'}
    """,
    """queues:
  - {name: debug, node_groups: [h200]}
  - {name: train, node_groups: [h200], default: true}""": """
        Queue.Name: train
    """,
    # Storage.
    volume(""): "SharedStorage.0.EbsSettings.DeletionPolicy: Retain",
    volume("on_delete: delete"): "SharedStorage.0.EbsSettings.DeletionPolicy: Delete",
    # Scripts.
    SPECS["a volume and scripts"]: """
        HeadNode.Iam.S3Access: [{BucketName: '${ScriptsBucketName}', KeyName: '*'}, {BucketName:
            my-bucket, KeyName: setup.sh}]
        Pool.Iam.AdditionalIamPolicies.1: {Policy: '${ScriptsPolicyArn}'}
        Queue.CustomActions.OnNodeStart.Sequence: [{Script: 'https://example.com/x.sh'}]
        Queue.CustomActions.OnNodeConfigured.Sequence.1: {Script: 's3://my-bucket/setup.sh', Args:
            [--fast, '1', 'yes']}
    """,
    f"{SEVERAL_TYPES}capacity: spot}}]": """
        Scheduling.SlurmQueues.1.AllocationStrategy: capacity-optimized
    """,
    f"{SEVERAL_TYPES}}}]": "Scheduling.SlurmQueues.1.AllocationStrategy: lowest-price",
    # The rest.
    "monitoring: {log_retention: 31d}": "Monitoring.Logs.CloudWatch.RetentionInDays: 60",
    "monitoring: {dashboards: none}": "Monitoring.Dashboards.CloudWatch.Enabled: false",
    "tags: {team: research}": "Tags: [{Key: team, Value: research}]",
    SPECS["China"]: "HeadNode.Iam.AdditionalIamPolicies.0.Policy: ${SessionPolicyArn}",
}


@pytest.mark.parametrize(("fragment", "path", "expected"), members(ROWS, STARTS))
def test_the_value_is_in_the_document(fragment: str, path: str, expected: Any) -> None:
    assert at(TARGET.document(plan_of(fragment)), path) == expected


@pytest.mark.parametrize("name", SPECS)
def test_the_text_is_the_document(name: str) -> None:
    document = TARGET.document(plan_of(SPECS[name]))
    assert yaml.safe_load(yaml_text(document)) == document


def test_scripts_are_at_the_location_in_the_configuration() -> None:
    rendered = files(SPECS["capacity block with everything around it"])
    deployed = json.loads(rendered["bundle.json"])
    for name in ("users.sh", "containers.sh", "hook.sh"):
        digest = hashlib.sha256(rendered[f"scripts/{name}"].encode()).hexdigest()[:16]
        named = f'Script: "s3://${{ScriptsBucketName}}/{digest}/{name}"'
        assert named in rendered["cluster.yaml"]
        assert deployed["uploads"][f"{digest}/{name}"] == f"scripts/{name}"
        assert name == "hook.sh" or f"setup {digest}/{name} " in rendered["scripts/hook.sh"]
    hook = "s3://${ScriptsBucketName}/clusters/example/hook.sh"
    assert f'Script: "{hook}"' in rendered["cluster.yaml"]
    assert deployed["service"]["hook"] == "clusters/example/hook.sh"


def test_an_overlay_merges_queues_by_name() -> None:
    document = TARGET.document(plan_of())
    over = {"Scheduling": {"SlurmQueues": [{"Name": "h200", "Tags": [{"Key": "a", "Value": "b"}]}]}}
    merged = overlay.apply(document, over, keys=TARGET.schema.list_keys)
    assert at(merged, f"{RESOURCE}.InstanceType") == "p5en.48xlarge"
    assert at(merged, f"{QUEUE}.Tags") == [{"Key": "a", "Value": "b"}]


ADDED = [
    # Path of a list, what an overlay adds to it.
    ("HeadNode.Iam.S3Access", {"BucketName": "my-data"}),
    (f"{QUEUE}.Iam.S3Access", {"BucketName": "my-data", "EnableWriteAccess": True}),
    ("HeadNode.Iam.AdditionalIamPolicies", {"Policy": "arn:aws:iam::aws:policy/A"}),
    (f"{QUEUE}.CustomActions.OnNodeConfigured.Sequence", {"Script": "s3://my-data/x.sh"}),
]


@pytest.mark.parametrize(("path", "item"), ADDED)
def test_an_overlay_adds_to_what_nodes_need(path: str, item: dict[str, Any]) -> None:
    """Without our own access, policies and scripts, nodes do not boot or cannot be reached."""
    document = TARGET.document(plan_of("software: {containers: pyxis}"))
    over: Any = [item]
    for step in reversed(path.split(".")):
        over = [{"Name": "h200", **over}] if step == "0" else {step: over}
    merged = overlay.apply(document, over, keys=TARGET.schema.list_keys)
    assert at(merged, path) == [*at(document, path), item]


def test_an_overlay_changes_an_access_of_the_same_object() -> None:
    document = TARGET.document(plan_of("software: {containers: pyxis}"))
    ours = {"BucketName": "${ScriptsBucketName}", "KeyName": "*"}
    over = {"HeadNode": {"Iam": {"S3Access": [{**ours, "EnableWriteAccess": True}]}}}
    merged = overlay.apply(document, over, keys=TARGET.schema.list_keys)
    assert at(merged, "HeadNode.Iam.S3Access") == [{**ours, "EnableWriteAccess": True}]


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


DATABASE = (
    "slurm: {accounting: {endpoint: db.example, user: slurm, "
    "secret: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:x'}}"
)
KEYED = "targets: {parallelcluster: {key_name: platform}}\n"
OPENS = "`pcluster ssh -n example -r us-east-1` opens a shell with the key `platform`"
DCV = "targets: {parallelcluster: {dcv: {}%s}}"
NO_KEY = "Desktops need a `key_name`, which this spec does not have: `pcluster dcv-connect`"
WAITS = "The creation waits for all nodes of `count.min`"
DIRECTORY = """targets: {parallelcluster: {directory: {domain: 'dc=corp,dc=example,dc=com',
  address: ldaps://corp.example.com, read_only_user: 'cn=reader,dc=corp,dc=example,dc=com',
  secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:ldap-AbCdEf}}}"""
NEXT_STEPS = [
    # Fragment, words of the README, words that it lacks.
    ("", [], ["pcluster ssh", "ssh USER@ADDRESS", "nothing is open on it"]),
    (OUTSIDE, ["port 22 is open to `ssh_from`"], ["pcluster ssh", "ssh USER@ADDRESS"]),
    (OUTSIDE + KEY, ["use `ssh USER@ADDRESS`"], ["pcluster ssh"]),
    (OUTSIDE + KEYED, [OPENS], ["ssh USER@ADDRESS"]),
    (DCV % "", [NO_KEY], []),
    (DCV % ", key_name: platform", [], ["Desktops need"]),
    (OUTSIDE + LOGIN, ["ssh USER@ADDRESS", "Elastic IP; nothing is open on it"], ["pcluster ssh"]),
    ("", [WAITS], []),
    ("node_groups: [{name: h200, count: {min: 0, max: 2}}]", [], [WAITS]),
    ("head_node: {iam: {role: arn:aws:iam::111122223333:role/head}}", [": trusts EC2, "], []),
    (DIRECTORY, ["**Add a user**: add them to the directory"], []),
    (DATABASE, ["db.example, whose security group has to allow theirs on port 3306"], []),
]


@pytest.mark.parametrize(("fragment", "present", "lacking"), NEXT_STEPS)
def test_the_next_steps_work_for_the_cluster(
    fragment: str, present: list[str], lacking: list[str]
) -> None:
    text = files(fragment)["README.md"]
    assert [words for words in present if words not in text] == []
    assert [words for words in lacking if words in text] == []

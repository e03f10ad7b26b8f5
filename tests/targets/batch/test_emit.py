"""The template and the job definitions of AWS Batch."""

import json
from typing import Any

import pytest

from clustergen.targets.batch import limits
from tests.support.tables import at, flow, members, rows
from tests.targets.batch.planned import (
    compute_of,
    container_of,
    files_of,
    found,
    job_of,
    plan_of,
    properties_of,
)


def group(fields: str) -> str:
    return f"node_groups: [{{name: h200, {fields}}}]"


ONE_NODE = group("efa: false")
CPU = group("instance_type: m7i.4xlarge, count: {min: 1, max: 4}")

SEVERAL = "instance_type: null, instance_types: [m7i.4xlarge, m6i.4xlarge]"
# By spec: members of the compute resources.
COMPUTE = {
    "": """
        Type: EC2
        AllocationStrategy: BEST_FIT_PROGRESSIVE
        MinvCpus: 0
        MaxvCpus: 384
        InstanceTypes: [p5en.48xlarge]
        Ec2Configuration: [{ImageType: ECS_AL2023_NVIDIA}]
        PlacementGroup: {Ref: PlacementGroupH200}
        # Beside the interfaces of the launch template, they make the environment invalid.
        SecurityGroupIds: ABSENT
        DesiredvCpus: ABSENT
        ScalingPolicy: ABSENT
    """,
    CPU: """
        MinvCpus: 16
        MaxvCpus: 64
        Ec2Configuration: [{ImageType: ECS_AL2023}]
        SecurityGroupIds: [{Ref: ClusterSecurityGroupId}]
    """,
    group("instance_type: m7i.4xlarge, capacity: spot"): """
        Type: SPOT
        AllocationStrategy: SPOT_PRICE_CAPACITY_OPTIMIZED
    """,
    group("instance_type: m7i.4xlarge, capacity: spot, allocation: capacity-optimized"): """
        Type: SPOT
        AllocationStrategy: SPOT_CAPACITY_OPTIMIZED
    """,
    group(f"{SEVERAL}, allocation: lowest-price"): "AllocationStrategy: BEST_FIT_PROGRESSIVE",
    group(SEVERAL): """
        AllocationStrategy: BEST_FIT_PROGRESSIVE_ORDERED
        InstanceTypes: [m7i.4xlarge, m6i.4xlarge]
    """,
    group("instance_type: trn1.32xlarge"): """
        Ec2Configuration: [{ImageType: ECS_AL2023, ImageIdOverride: {Ref: ImageNeuron}}]
    """,
    "slurm: {idle_timeout: 30m}": "ScalingPolicy: {MinScaleDownDelayMinutes: 30}",
    "slurm: {idle_timeout: 5m}": "ScalingPolicy: ABSENT",
    group("labels: {team: blue}"): "Tags: {team: blue}",
    group("capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"): "PlacementGroup: ABSENT",
}


@pytest.mark.parametrize(("text", "member", "expected"), members(COMPUTE))
def test_compute_resources(text: str, member: str, expected: Any) -> None:
    assert at(compute_of(text), member) == expected


# Time limits of queues, and how long jobs go on when nodes are replaced.
UPDATES: list[tuple[str, int]] = [
    ("", 7200),
    ("queues: [{name: train, node_groups: [h200], time_limit: 2h}]", 120),
    ("queues: [{name: train, node_groups: [h200], time_limit: 90s}]", 2),
    ("queues: [{name: train, node_groups: [h200], time_limit: 7d}]", 7200),
    (
        "queues: [{name: a, node_groups: [h200], time_limit: 2h}, {name: b, node_groups: [h200]}]",
        7200,
    ),
]


@pytest.mark.parametrize(("text", "minutes"), UPDATES)
def test_jobs_go_on_during_updates(text: str, minutes: int) -> None:
    environment = properties_of(text, "ComputeEnvironmentH200")
    assert environment["ReplaceComputeEnvironment"] is False
    assert environment["UpdatePolicy"]["JobExecutionTimeoutMinutes"] == minutes


def test_interfaces_leave_room_for_the_task() -> None:
    data = properties_of(group("instance_type: p5.48xlarge"), "LaunchTemplateH200")
    found = data["LaunchTemplateData"]["NetworkInterfaces"]
    assert [(i["NetworkCardIndex"], i["DeviceIndex"]) for i in found] == [(n, 0) for n in range(32)]
    assert {i["InterfaceType"] for i in found} == {"efa"}


REASONS: list[tuple[str, bool]] = [
    ("", True),
    (group("capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"), False),
    (group("capacity: {reservation: cr-0a1b2c3d4e5f67890}"), False),
]


@pytest.mark.parametrize(("text", "cancelled"), REASONS)
def test_jobs_wait_for_reserved_capacity(text: str, cancelled: bool) -> None:
    actions = properties_of(text, "QueueH200")["JobStateTimeLimitActions"]
    reasons = [action["Reason"] for action in actions]
    assert ("CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY" in reasons) is cancelled


def test_names_of_shares_have_the_form_of_batch() -> None:
    policy = properties_of("slurm: {accounts: [{name: vision-a}]}", "SchedulingPolicy")
    [share] = policy["FairsharePolicy"]["ShareDistribution"]
    assert share["ShareIdentifier"] == "visiona"


def test_a_multi_node_job() -> None:
    job = job_of("", "h200-nccl")
    node = job["nodeProperties"]
    assert (job["type"], node["numNodes"], node["mainNode"]) == ("multinode", 2, 0)
    assert [each["targetNodes"] for each in node["nodeRangeProperties"]] == ["0:"]
    container = container_of(job)
    asked = {each["type"]: each["value"] for each in container["resourceRequirements"]}
    assert asked == {"VCPU": "192", "MEMORY": "1966080", "GPU": "8"}
    devices = [each["hostPath"] for each in container["linuxParameters"]["devices"]]
    assert devices == [f"/dev/infiniband/uverbs{n}" for n in range(16)]


def test_jobs_of_one_node_share_it_unless_the_queue_is_exclusive() -> None:
    asked = []
    for exclusive in ("false", "true"):
        queue = f"queues: [{{name: cpu, node_groups: [h200], exclusive: {exclusive}}}]"
        container = container_of(job_of(f"{CPU}\n{queue}", "cpu-h200-array"))
        asked.append({e["type"]: int(e["value"]) for e in container["resourceRequirements"]})
    assert asked == [{"VCPU": 2, "MEMORY": 7680}, {"VCPU": 16, "MEMORY": 61440}]


THREADS: list[tuple[str, str, str]] = [
    (group("instance_type: hpc8a.96xlarge"), "h200-mpi", "1"),
    (CPU, "h200-array", "1"),
    (f"{CPU}\nqueues: [{{name: h200, node_groups: [h200], exclusive: true}}]", "h200-array", "8"),
    ("", "h200-torchrun", "12"),
]


@pytest.mark.parametrize(("text", "job", "threads"), THREADS)
def test_processes_of_a_node_do_not_have_more_threads_than_it_has_cores(
    text: str, job: str, threads: str
) -> None:
    """MPI has a process for each core, and an array several jobs on a node."""
    container = container_of(job_of(text, job))
    variables = {each["name"]: each["value"] for each in container["environment"]}
    assert variables["OMP_NUM_THREADS"] == threads


def test_memory_that_the_agent_has() -> None:
    """A job that asks for all memory of the instance stays RUNNABLE."""
    found = container_of(job_of(ONE_NODE, "h200-torchrun"))["resourceRequirements"]
    [memory] = [int(each["value"]) for each in found if each["type"] == "MEMORY"]
    assert memory < 0.95 * 2048 * 1024


MIXED = """
node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.48xlarge, g6e.12xlarge, g6e.16xlarge],
     capacity: spot, efa: false, count: {max: 4}}
"""


def test_jobs_for_several_types_fit_on_each_of_them() -> None:
    assert not [one for one in found(MIXED) if one.severity == "error"]
    job = job_of(MIXED, "h200-torchrun")
    needed = container_of(job)["resourceRequirements"]
    # One GPU as g6e.16xlarge has, 48 vCPUs as g6e.12xlarge has, and less than its 384 GiB.
    asked = {each["type"]: int(each["value"]) for each in needed}
    assert asked == {"GPU": 1, "VCPU": 48, "MEMORY": 384 * 1024 * 15 // 16}
    assert "--nproc-per-node=1" in str(job)
    assert compute_of(MIXED)["InstanceTypes"][0] == "g6e.48xlarge"


AGAIN = "resilience: {auto_resume: true}"
REPLACED = flow(f"""
{{attempts: {limits.ATTEMPTS}, evaluateOnExit: [
  {{action: RETRY, onStatusReason: Host EC2*}}, {{action: EXIT, onReason: '*'}}]}}
""")
RETRIES: list[tuple[str, str, dict[str, Any]]] = [
    ("", "h200-torchrun", {"attempts": 1}),
    (AGAIN, "h200-nccl", {"attempts": 1}),
    # EC2 takes Spot instances back.
    *((text, "h200-torchrun", REPLACED) for text in (AGAIN, MIXED)),
]


@pytest.mark.parametrize(("text", "job", "expected"), RETRIES)
def test_retries(text: str, job: str, expected: dict[str, Any]) -> None:
    assert job_of(text, job)["retryStrategy"] == expected


def test_time_limits() -> None:
    queue = "queues: [{name: train, node_groups: [h200], time_limit: 2d}]"
    assert job_of(queue, "train-h200-torchrun")["timeout"] == {"attemptDurationSeconds": 172800}
    assert job_of(queue, "train-h200-nccl")["timeout"] == {"attemptDurationSeconds": 3600}
    assert "timeout" not in job_of("", "h200-torchrun")


STORED = """
node_groups: [{name: h200, scratch: /scratch}]
storage:
  - {mount: /data, type: efs}
  - {mount: /in, type: s3, bucket: s3://my-bucket/in, read_only: true}
"""


def test_containers_have_the_folders_of_nodes() -> None:
    container = container_of(job_of(STORED, "h200-torchrun"))
    volumes = {each["name"]: each["host"]["sourcePath"] for each in container["volumes"]}
    points = {each["containerPath"]: each["readOnly"] for each in container["mountPoints"]}
    assert points == {"/data": False, "/in": True, "/scratch": False}
    for point in container["mountPoints"]:
        assert volumes[point["sourceVolume"]] == point["containerPath"]


KINDS: list[tuple[str, set[str]]] = [
    ("", {"nccl", "torchrun", "verify"}),
    (ONE_NODE, {"nccl", "torchrun", "verify"}),
    (group("instance_type: trn1.32xlarge"), {"all-reduce", "torchrun", "verify"}),
    (group("instance_type: trn1.32xlarge, efa: false"), {"nccom", "torchrun", "verify"}),
    (group("instance_type: hpc8a.96xlarge"), {"mpi", "verify"}),
    (CPU, {"array", "verify"}),
]


@pytest.mark.parametrize(("text", "kinds"), KINDS)
def test_jobs_of_a_group(text: str, kinds: set[str]) -> None:
    jobs = [path for path in files_of(text) if path.startswith("jobs/")]
    assert {path.removeprefix("jobs/h200-").removesuffix(".json") for path in jobs} == kinds


def test_the_image_of_training_jobs() -> None:
    text = "targets: {batch: {image: 111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1}}"
    jobs = {name: job_of(text, f"h200-{name}") for name in ("torchrun", "nccl", "verify")}
    images = {name: container_of(job)["image"] for name, job in jobs.items()}
    assert images["torchrun"].endswith("/train:1")
    assert not images["nccl"].endswith("/train:1")


def test_definitions_are_below_the_limit_of_batch() -> None:
    """The longest names, and a node with the most devices."""
    name, queue = "c" * limits.MAX_CLUSTER_NAME, "q" * limits.MAX_NAME
    text = (
        f"name: {name}\n"
        "node_groups: [{name: h200, instance_type: p5.48xlarge, scratch: /scratch}]\n"
        f"queues: [{{name: {queue}, node_groups: [h200], time_limit: 7d}}]\n"
        "storage: [" + ", ".join(f"{{mount: /{'m' * 60}{n}, type: efs}}" for n in range(8)) + "]"
    )
    for path, content in files_of(text).items():
        if path.startswith("jobs/"):
            definition = json.loads(content)
            size = len(json.dumps(definition))
            assert size < limits.MAX_DEFINITION_BYTES, path
            # As the rule on its size assumes.
            assert size < limits.DEFINITION_BYTES + 8 * limits.MOUNT_OF_DEFINITION_BYTES, path
            assert len(definition["jobDefinitionName"]) <= 128


def user_data(text: str) -> str:
    data = properties_of(text, "LaunchTemplateH200")["LaunchTemplateData"]
    found: Any = data["UserData"]["Fn::Base64"]
    return str(found["Fn::Sub"] if isinstance(found, dict) else found)


ORDER = """
node_groups: [{name: h200, scratch: /scratch, health_checks: [gpu]}]
storage: [{mount: /data, type: efs}]
software: {scripts: [{run: s3://my-bucket/after.sh}, {run: s3://my-bucket/before.sh, when: start}]}
"""


def test_the_order_of_scripts() -> None:
    text = user_data(ORDER)
    order = ["packages.sh", "before.sh", "scratch.sh", "mount.sh", "check-accel", "after.sh"]
    places = [text.index(name) for name in order]
    assert places == sorted(places)


def test_only_references_of_ours_are_substituted() -> None:
    """A dollar sign of a user, and those of the shell, stay what they are."""
    text = user_data(ORDER.replace("after.sh}", "after.sh, args: ['${HOME}']}"))
    assert "'${!HOME}'" in text
    assert "s3://${ScriptsBucketName}/" in text
    assert "${#" not in text


def test_the_rule_about_user_data_knows_its_size() -> None:
    empty = len(user_data("software: {scripts: [{run: 's3://my-bucket/a.sh'}]}"))
    assert empty < limits.USER_DATA_BYTES
    mounts = [f"{{mount: /{name}, type: efs}}" for name in "ab"]
    one, two = (len(user_data(f"storage: [{', '.join(mounts[:n])}]")) for n in (1, 2))
    assert two - one < limits.MOUNT_BYTES


TASKS: list[tuple[str, int]] = [
    # Nodes with EFA: their 16 interfaces, and one of the task.
    ("node_groups: [{name: h200, count: 2}]", 34),
    ("node_groups: [{name: h200, count: 1}]", 16),
    ("node_groups: [{name: h200, count: 2, efa: false}]", 2),
]


@pytest.mark.parametrize(("text", "interfaces"), TASKS)
def test_tasks_need_interfaces_of_the_quota(text: str, interfaces: int) -> None:
    [row] = [line for line in files_of(text)["README.md"].splitlines() if "L-DF5E4CA3" in line]
    assert row.split()[-2] == str(interfaces)
    assert plan_of(text).network.needed_addresses == interfaces


@pytest.mark.parametrize("arn", ["instance-profile/nodes", "role/nodes"])
def test_the_checklist_has_what_an_own_role_needs(arn: str) -> None:
    field = arn.partition("/")[0].replace("-", "_")
    text = f"node_groups: [{{name: h200, iam: {{{field}: 'arn:aws:iam::111122223333:{arn}'}}}}]"
    [line] = [line for line in files_of(text)["README.md"].splitlines() if f"{arn}: " in line]
    assert "AmazonEC2ContainerServiceforEC2Role" in line
    assert "`ScriptsBucketName`" in line


STEPS = rows("""
slurm: {idle_timeout: 45m}
    nodes stop after 45 minutes without jobs
{}
    nodes stop within minutes without jobs
node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 2}, {name: h200}]
queues: [{name: a, node_groups: [cpu]}, {name: b, node_groups: [h200], time_limit: 2h}]
    120 (h200), 7,200 (cpu)
node_groups: [{name: a, instance_type: m7i.4xlarge, count: 2},
  {name: b, instance_type: m7i.8xlarge, count: 2}]
queues: [{name: cpu, node_groups: [a, b]}]
    not each group of cpu (a, b) may be checked
software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}
    `./mirror.sh` copies images to
# IAM asks for it where a request has tags, and definitions have those of the spec.
tags: {team: a}
    `batch:TagResource`
queues: [{name: train, node_groups: [h200]}]
targets: {batch: {queue_names: {train: Training}}}
    no other job queue is called Training
""")


@pytest.mark.parametrize(("fragment", "words"), STEPS)
def test_the_readme_has_the_values_of_the_spec(fragment: str, words: str) -> None:
    assert words in files_of(fragment)["README.md"]

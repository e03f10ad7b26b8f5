"""Job templates: PyTorchJobs that run on the nodes of a group, and that HyperPod can resume."""

import pytest
import yaml

from clustergen.base.artifacts import Json
from tests.targets.hyperpod_eks.new_cluster import files_of_new
from tests.targets.hyperpod_eks.planned import files_of
from tests.targets.hyperpod_eks.specs import SPECS
from tests.validators.kubernetes import kubernetes_violations

GOVERNED = """
node_groups: [{name: h200}, {name: a, instance_type: p5.48xlarge, count: 3}]
queues: [{name: train, node_groups: [h200, a], priority: 7}, {name: tune, node_groups: [a]}]
"""
SPOT = "Spot beside On-Demand, scaled"
TRAIN = {
    "kueue.x-k8s.io/queue-name": "hyperpod-ns-train-localqueue",
    "kueue.x-k8s.io/priority-class": "train-priority",
}
TUNE = {"kueue.x-k8s.io/queue-name": "hyperpod-ns-tune-localqueue"}
RESUMED = "resilience: {auto_resume: true}\nstorage: [{mount: /tools, type: efs}]"


def job_of(text: str, group: str = "h200") -> Json:
    job: Json = yaml.safe_load(files_of(text)[f"jobs/{group}-torchrun.yaml"])
    return job


def container_of(job: Json) -> Json:
    [container] = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    return dict(container)


# Spec, group; nodes, processes on each, and the devices of a node.
SHAPES = [
    ("smallest", "h200", 2, 8, {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "16"}),
    ("Trainium", "h200", 2, 32, {"aws.amazon.com/neuron": "16", "vpc.amazonaws.com/efa": "8"}),
    ("UltraServers", "h200", 18, 4, {"nvidia.com/gpu": "4", "vpc.amazonaws.com/efa": "8"}),
    ("partitions", "h100", 1, 1, {"nvidia.com/mig-3g.40gb": "1"}),
    (SPOT, "fallback", 2, 4, {"nvidia.com/gpu": "4", "vpc.amazonaws.com/efa": "1"}),
]


@pytest.mark.parametrize(("spec", "group", "nodes", "processes", "devices"), SHAPES)
def test_a_job_uses_all_nodes_and_all_devices_of_each(
    spec: str, group: str, nodes: int, processes: int, devices: dict[str, str]
) -> None:
    job = job_of(SPECS[spec], group)
    wanted = job["spec"]
    elastic = wanted["elasticPolicy"]
    assert (elastic["minReplicas"], elastic["maxReplicas"]) == (nodes, nodes)
    assert wanted["pytorchReplicaSpecs"]["Worker"]["replicas"] == nodes
    assert wanted["nprocPerNode"] == str(processes)
    container = container_of(job)
    ranks = [f"--nnodes={nodes}", f"--nproc-per-node={processes}"]
    assert container["command"] == ["torchrun", *ranks]
    limits = container["resources"]["limits"]
    assert {name: count for name, count in limits.items() if "/" in name} == devices
    assert limits == container["resources"]["requests"]


UNGOVERNED = """
node_groups: [{name: h200}, {name: infer, instance_type: g6e.12xlarge, count: 2}]
queues: [{name: train, node_groups: [h200]}]
storage: [{mount: /tools, type: efs}]
"""
QUEUES = [
    ("", "h200", "default", {}),
    (UNGOVERNED, "infer", "default", {}),
    (UNGOVERNED + "resilience: {auto_resume: true}", "infer", "kubeflow", {}),
    (GOVERNED, "a", "hyperpod-ns-train", TRAIN),
    (SPECS[SPOT], "h200", "hyperpod-ns-tune", TUNE),
]


@pytest.mark.parametrize(("text", "group", "space", "labels"), QUEUES)
def test_a_job_is_in_the_queue_of_its_team(text: str, group: str, space: str, labels: Json) -> None:
    metadata = job_of(text, group)["metadata"]
    assert (metadata["namespace"], metadata.get("labels", {})) == (space, labels)


def test_a_job_can_be_resumed_where_its_volumes_are() -> None:
    """HyperPod resumes jobs in the namespace kubeflow, and in those of teams."""
    job = job_of(RESUMED)
    resumed = {"enable-job-auto-resume": "true", "job-max-retry-count": "3"}
    own = {f"sagemaker.amazonaws.com/{name}": value for name, value in resumed.items()}
    assert job["metadata"]["annotations"] == own
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "OnFailure"
    volumes = list(yaml.safe_load_all(files_of(RESUMED)["manifests/volumes.yaml"]))
    claims = {o["metadata"]["namespace"] for o in volumes if o["kind"] == "PersistentVolumeClaim"}
    assert {job["metadata"]["namespace"]} == claims == {"kubeflow"}
    assert "annotations" not in job_of("")["metadata"]


FAULTS = [
    ('nprocPerNode: "8"', "nprocPerNode: 8", "is not of type 'string'"),
    ("name: pytorch", "name: trainer", "called pytorch"),
    ("minReplicas: 2", "minimum: 2", "Additional properties"),
    ("kubeflow.org/v1", "kubeflow.org/v2", "not the API"),
]


@pytest.mark.parametrize(("good", "bad", "words"), FAULTS)
def test_a_fault_is_caught(good: str, bad: str, words: str) -> None:
    path = "jobs/h200-torchrun.yaml"
    text = files_of("")[path]
    assert good in text
    found = kubernetes_violations({path: text.replace(good, bad)}, "1.35")
    assert any(words in each for each in found), found


@pytest.mark.parametrize("name", SPECS)
def test_every_cluster_with_accelerators_has_jobs(name: str) -> None:
    files = files_of(SPECS[name])
    assert any(path.startswith("jobs/") for path in files) is (name != "empty")
    assert ("`jobs/` has a sample job" in files["README.md"]) is (name != "empty")


QUEUE = "kueue.x-k8s.io/queue-name"


def test_pods_of_a_team_have_its_queue() -> None:
    """The admission policy of task governance denies others."""
    job = job_of(GOVERNED)
    label = {QUEUE: "hyperpod-ns-train-localqueue"}
    template = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    assert template["metadata"]["labels"] == label
    assert job["metadata"]["labels"].items() >= label.items()
    alone = job_of("kubernetes: {admission: none}")
    assert "metadata" not in alone["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]


@pytest.mark.parametrize(
    ("dates", "deadline"), [(", starts: 2026-12-10T11:30:00Z", False), ("", True)]
)
def test_the_job_that_opens_a_file_system_waits_for_capacity(dates: str, deadline: bool) -> None:
    """Its pod is pending until nodes come, which may be days later."""
    plan = "training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'"
    groups = f"node_groups: [{{name: h200, count: 2, capacity: {{{plan}{dates}}}}}]\n"
    lustre = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}]"
    [job] = yaml.safe_load_all(files_of_new(f"{groups}{lustre}")["manifests/ownership.yaml"])
    assert ("activeDeadlineSeconds" in job["spec"]) == deadline


def test_jobs_of_the_bundle_in_a_namespace_of_a_team_have_its_queue() -> None:
    lustre = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}]"
    [job] = yaml.safe_load_all(files_of(f"{GOVERNED}{lustre}")["manifests/ownership.yaml"])
    assert job["metadata"]["namespace"] == "hyperpod-ns-train"
    for part in (job, job["spec"]["template"]):
        assert part["metadata"]["labels"][QUEUE] == "hyperpod-ns-train-localqueue"


LATER = """
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}]
node_groups:
  - {name: h200, count: 2,
     capacity: {training_plan: arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan,
     starts: 2026-12-10T11:30:00Z}}
  - {name: cpu, instance_type: m7i.4xlarge, count: 2}
queues: [{name: train, node_groups: [h200]}]
"""
LATER_TUNE = LATER.replace("[h200]}]", "[h200]}, {name: tune, node_groups: [cpu]}]")


@pytest.mark.parametrize(("text", "space"), [(LATER, "default"), (LATER_TUNE, "hyperpod-ns-tune")])
def test_a_file_system_opens_before_capacity_starts(text: str, space: str) -> None:
    """Kueue lets jobs of a team run on its own nodes only."""
    [job] = yaml.safe_load_all(files_of_new(text)["manifests/ownership.yaml"])
    assert job["metadata"]["namespace"] == space
    assert (QUEUE in str(job)) == (space != "default")


def test_a_group_without_a_queue_has_its_volumes_and_no_label_of_a_team() -> None:
    pods = job_of(UNGOVERNED, "infer")["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    assert QUEUE not in str(pods)
    objects = yaml.safe_load_all(files_of(UNGOVERNED)["manifests/volumes.yaml"])
    claims = [each for each in objects if each["kind"] == "PersistentVolumeClaim"]
    assert {each["metadata"]["namespace"] for each in claims} == {"hyperpod-ns-train", "default"}

"""Kubernetes objects: right by Kubernetes' own schemas, and sized from the types' facts."""

import re
from collections.abc import Iterator

import pytest
import yaml

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import word_set
from clustergen.targets.hyperpod_eks.limits import KUBERNETES_VERSIONS
from tests.support.tables import flow
from tests.targets.hyperpod_eks.new_cluster import files_of_new
from tests.targets.hyperpod_eks.planned import files_of, request_of
from tests.targets.hyperpod_eks.specs import SPECS
from tests.validators.kubernetes import kubernetes_violations

SPOT = SPECS["Spot beside On-Demand, scaled"]


def objects(text: str, start: str) -> Iterator[Json]:
    """Every object in the files of a folder, or in one file."""
    for path, content in files_of(text).items():
        if path.startswith(start) and path.endswith(".yaml"):
            yield from yaml.safe_load_all(content)


def one(text: str, path: str) -> Json:
    """The one object of a file."""
    [found] = objects(text, path)
    return found


@pytest.mark.parametrize("version", [KUBERNETES_VERSIONS[0], KUBERNETES_VERSIONS[-1]])
@pytest.mark.parametrize("spec", SPECS)
def test_tests_satisfy_the_schemas(spec: str, version: str) -> None:
    files = files_of(SPECS[spec])
    used = {path: text for path, text in files.items() if path.startswith("smoke/")}
    assert kubernetes_violations(used, version) == []


# Type and count; GPUs, EFA devices, workers and largest message of the test of NCCL.
SIZES = [
    ("p5.48xlarge", 4, 8, 32, 2, "16G"),
    ("p5en.48xlarge", 4, 8, 16, 2, "32G"),
    ("p6-b200.48xlarge", 8, 8, 8, 4, "32G"),
    ("p6-b200.48xlarge", 2, 8, 8, 2, "32G"),
    ("p6-b300.48xlarge", 2, 8, 16, 2, "64G"),
    ("p4d.24xlarge", 2, 8, 4, 2, "8G"),
    ("g6e.48xlarge", 1, 8, 4, 1, "8G"),
]


@pytest.mark.parametrize("row", SIZES, ids=lambda row: f"{row[0]}-{row[1]}")
def test_nccl_test_is_sized_from_the_type(row: tuple[str, int, int, int, int, str]) -> None:
    type, count, gpus, efa, workers, largest = row
    text = f"node_groups: [{{name: h200, instance_type: {type}, count: {count}}}]"
    spec = one(text, "smoke/h200-all-reduce.yaml")["spec"]
    worker = spec["mpiReplicaSpecs"]["Worker"]
    [container] = worker["template"]["spec"]["containers"]
    command = spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"]
    assert spec["slotsPerWorker"] == gpus
    assert worker["replicas"] == workers
    assert command[command.index("-np") + 1] == str(gpus * workers)
    assert command[command.index("-e") + 1] == largest
    assert container["resources"]["limits"]["nvidia.com/gpu"] == str(gpus)
    assert container["resources"]["limits"]["vpc.amazonaws.com/efa"] == str(efa)
    assert container["resources"]["limits"] == container["resources"]["requests"]


RESOURCES = [
    ("smallest", "smoke/h200-accelerators.yaml", {"nvidia.com/gpu": "8"}),
    ("smallest", "smoke/h200-efa.yaml", {"vpc.amazonaws.com/efa": "16"}),
    ("Trainium", "smoke/h200-accelerators.yaml", {"aws.amazon.com/neuron": "16"}),
    ("Trainium", "smoke/h200-efa.yaml", {"vpc.amazonaws.com/efa": "8"}),
    ("partitions", "smoke/h100-accelerators.yaml", {"nvidia.com/mig-3g.40gb": "16"}),
    ("partitions", "smoke/h200-accelerators.yaml",
     {"nvidia.com/mig-1g.18gb": "8", "nvidia.com/mig-2g.35gb": "8", "nvidia.com/mig-3g.71gb": "8"}),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "path", "expected"), RESOURCES)
def test_a_pod_requests_all_devices_of_a_node(spec: str, path: str, expected: Json) -> None:
    [container] = one(SPECS[spec], path)["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == expected
    total = sum(map(int, expected.values()))
    assert f'[ "$found" -eq {total} ]' in container["command"][2]


EACH = "h200-accelerators h200-efa"
TESTS = {
    "smallest": f"{EACH} h200-all-reduce",
    # Partitions do not reduce together; a pod for each kind of them.
    "partitions": f"{EACH} h100-accelerators h100-efa h200-mig-1g-18gb h200-mig-2g-35gb"
    " h200-mig-3g-71gb h100-mig-3g-40gb",
    # The image of the test over nodes has no programs for Arm and Trainium.
    "UltraServers": f"{EACH} h200-all-reduce",
    "Trainium": f"{EACH} h200-all-reduce h200-nccom",
    "two zones": f"{EACH} h200-all-reduce",
}


@pytest.mark.parametrize("spec", TESTS)
def test_tests_of_each_cluster(spec: str) -> None:
    found = {path for path in files_of(SPECS[spec]) if path.startswith("smoke/")}
    assert found == {f"smoke/{name}.yaml" for name in TESTS[spec].split()}


# Spec, file, image up to its tag, what of its command decides the size.
WITHIN_A_NODE = [
    ("UltraServers", "h200-all-reduce", "nvcr.io/nvidia/pytorch", ["-np", "4"], ["-e", "32G"]),
    ("Trainium", "h200-nccom", "public.ecr.aws/neuron/pytorch-training-neuronx", ["-r", "32"],
     ["-e", "1G"]),
]  # fmt: skip


@pytest.mark.parametrize("row", WITHIN_A_NODE, ids=lambda row: row[0])
def test_collectives_run_within_a_node(row: tuple[str, str, str, list[str], list[str]]) -> None:
    spec, name, image, ranks, largest = row
    job = one(SPECS[spec], f"smoke/{name}.yaml")
    assert job["kind"] == "Job"
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["image"].startswith(f"{image}:")
    words = container["command"]
    for option, value in (ranks, largest):
        assert words[words.index(option) + 1] == value


def test_a_pod_for_each_kind_of_partition() -> None:
    job = one(SPECS["partitions"], "smoke/h200-mig-1g-18gb.yaml")["spec"]
    assert (job["completions"], job["parallelism"]) == (2, 2)
    pod = job["template"]["spec"]
    [container] = pod["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/mig-1g.18gb": "1"}
    assert "nvidia-smi -L | grep -cF 'MIG 1g.18gb '" in container["command"][2]
    [apart] = pod["topologySpreadConstraints"]
    own = {"batch.kubernetes.io/job-name": "h200-mig-1g-18gb"}
    assert apart["labelSelector"]["matchLabels"] == own


@pytest.mark.parametrize("spec", SPECS)
def test_images_are_pinned(spec: str) -> None:
    """A tag with a version or a date, of which there is one each."""
    for path, text in files_of(SPECS[spec]).items():
        if path.startswith("smoke/"):
            images = [line.split()[-1] for line in text.splitlines() if "image:" in line]
            assert images
            assert all(len(re.findall("[0-9]+", i.rpartition(":")[2])) > 1 for i in images), images


def test_published_bandwidth_is_a_comment() -> None:
    """It is there for types with published measurements, and decides nothing."""
    text = files_of("node_groups: [{name: h200, instance_type: p5.48xlarge}]")
    test = text["smoke/h200-all-reduce.yaml"]
    assert "# Published for 2 x p5.48xlarge: 487 GB/s at 16 GiB" in test
    assert "487" not in str(yaml.safe_load(test))
    assert "Published" not in files_of("")["smoke/h200-all-reduce.yaml"]


def test_tests_run_only_on_nodes_of_their_group() -> None:
    job = one(SPECS["labels and taints"], "smoke/h200-efa.yaml")
    pod = job["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"sagemaker.amazonaws.com/instance-group-name": "h200"}
    assert [t["key"] for t in pod["tolerations"]] == ["training", "example.com/gpu"]


def test_karpenter_supports_the_requests_of_tests() -> None:
    """It starts no node for a label that only HyperPod's nodes have once they are there."""
    pod = one(SPOT, "smoke/h200-accelerators.yaml")["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"karpenter.sh/nodepool": "tune"}
    affinity = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    [expression] = affinity["nodeSelectorTerms"][0]["matchExpressions"]
    assert expression["values"] == ["ml.g6e.12xlarge", "ml.g6.12xlarge"]


def test_a_pool_has_the_groups_of_its_queue() -> None:
    node_class, node_pool = objects(SPOT, "manifests/karpenter.yaml")
    assert node_class == flow("""
        apiVersion: karpenter.sagemaker.amazonaws.com/v1
        kind: HyperpodNodeClass
        metadata: {name: tune, labels: {app.kubernetes.io/managed-by: clustergen-example}}
        spec: {instanceGroups: [h200, fallback]}
    """)
    template = node_pool["spec"]["template"]["spec"]
    assert template["nodeClassRef"] == flow(
        "{group: karpenter.sagemaker.amazonaws.com, kind: HyperpodNodeClass, name: tune}"
    )
    # A pod that asks for no GPU starts none of these nodes.
    assert template["taints"] == flow("""
        - {key: training, value: x, effect: NoSchedule}
        - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
    """)
    assert template["expireAfter"] == "Never"
    # 48 vCPUs on each of 8 and 2 nodes.
    assert node_pool["spec"]["limits"] == {"cpu": "480"}


def test_a_group_is_in_one_node_class() -> None:
    both = "[h200]}, {name: all, node_groups: [h200, fallback]}]"
    text = SPOT.replace("[h200, fallback]}]", both)
    classes = [o for o in objects(text, "manifests/karpenter") if o["kind"] == "HyperpodNodeClass"]
    assert [c["spec"]["instanceGroups"] for c in classes] == [["h200"], ["fallback"]]


def test_a_queue_may_have_the_name_of_another_queues_group() -> None:
    queue = "{name: tune, node_groups: [h200, fallback]}"
    text = SPOT.replace(queue, "{name: fallback, node_groups: [h200]}")
    classes = [o for o in objects(text, "manifests/karpenter") if o["kind"] == "HyperpodNodeClass"]
    named = {c["metadata"]["name"]: c["spec"]["instanceGroups"] for c in classes}
    assert named == {"fallback": ["h200"], "fallback-group": ["fallback"]}


def test_without_karpenter_there_are_no_karpenter_objects() -> None:
    assert "manifests/karpenter.yaml" not in files_of("")
    assert "AutoScaling" not in request_of("")


# Switches of the chart in the order they are read here; what of it each cluster turns on.
SWITCHES = [
    ("smallest", {"nvidia-device-plugin", "aws-efa-k8s-device-plugin"}),
    ("partitions", {"gpu-operator", "aws-efa-k8s-device-plugin"}),
    ("Trainium", {"neuron-device-plugin", "aws-efa-k8s-device-plugin"}),
    ("deep health checks", {"nvidia-device-plugin", "aws-efa-k8s-device-plugin",
                            "deep-health-check", "job-auto-restart"}),
]  # fmt: skip
ALWAYS = {"health-monitoring-agent", "hyperpod-patching", "trainingOperators", "mpi-operator"}


@pytest.mark.parametrize(("spec", "expected"), SWITCHES)
def test_enabled_parts_of_the_chart(spec: str, expected: set[str]) -> None:
    values = one(SPECS[spec], "manifests/helm-values.yaml")
    assert values.pop("global") == {"region": "us-east-1"}
    on = {name for name, value in values.items() if value.get("devicePlugin", value)["enabled"]}
    assert on == ALWAYS | expected


CONDITIONS = word_set("""
    cert-manager.enabled trainingOperators.enabled mlflow.enabled
    nvidia-device-plugin.devicePlugin.enabled aws-efa-k8s-device-plugin.devicePlugin.enabled
    neuron-device-plugin.devicePlugin.enabled storage.enabled health-monitoring-agent.enabled
    mpi-operator.enabled deep-health-check.enabled job-auto-restart.enabled
    cluster-role-and-bindings.enabled namespaced-role-and-bindings.enabled
    team-role-and-bindings.enabled inferenceOperators.enabled hyperpod-patching.enabled
    gpu-operator.enabled hyperpod-ray-endpoint-operator.enabled
""")
"""Of the dependencies in Chart.yaml, at `charts.COMMIT`."""


@pytest.mark.parametrize("new", [False, True])
def test_each_condition_of_the_chart_has_a_value(new: bool) -> None:
    """Helm installs a dependency whose condition has none."""
    text = (files_of_new if new else files_of)("")["manifests/helm-values.yaml"]
    values = yaml.safe_load(text)
    parts = {name: part for name, part in values.items() if name != "global"}
    found = {
        f"{name}.devicePlugin.enabled" if "devicePlugin" in part else f"{name}.enabled"
        for name, part in parts.items()
        if part.get("devicePlugin", part)["enabled"] in (True, False)
    }
    assert found == CONDITIONS


def test_the_values_of_the_chart_have_reasons() -> None:
    text = files_of("")["manifests/helm-values.yaml"]
    lines = text.splitlines()
    switches = [n for n, line in enumerate(lines) if line and line[0] not in "# " and n]
    reasons = [n for n in switches if lines[n] != "global:"]
    assert all(lines[n - 1].startswith("# ") for n in reasons)

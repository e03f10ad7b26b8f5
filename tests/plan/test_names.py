"""Names that derive from those in a spec."""

import json
import re

import pytest

from clustergen.base.findings import Finding, errors
from clustergen.plan import names
from tests.support.checking import Fragments, check

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


@pytest.mark.parametrize("name", ["h200", "a", "a--b", "llm-pretrain-2", "x" * 40])
def test_what_has_the_form_already_stays(name: str) -> None:
    """A resource with another name would be another resource."""
    assert names.object_name(name) == name
    assert names.stack(name, "foundation") == f"{name}-foundation"


FORMS = [
    ("GPU", "gpu", "GPU-eks"),
    ("GPU_nodes", "gpu-nodes", "GPU-nodes-eks"),
    ("1-gpu-spot", "1-gpu-spot", "cluster-1-gpu-spot-eks"),
]


@pytest.mark.parametrize(("name", "object_name", "stack"), FORMS)
def test_each_has_the_form_that_it_needs(name: str, object_name: str, stack: str) -> None:
    assert names.object_name(name) == object_name
    assert names.stack(name, "eks") == stack


def test_long_names_stay_apart() -> None:
    long = [f"{'a' * 60}{last}" for last in "12"]
    short = {names.object_name(name) for name in long}
    assert len(short) == 2
    assert all(len(name) <= 40 and LABEL.fullmatch(name) for name in short)


ACCEPTED = [
    # Target, cluster, node group, queue.
    ("parallelcluster", "SMHP-v4", "h200", "train"),
    ("parallelcluster", "a", "h200", "train"),
    ("parallelcluster", "a" * 60, "h200", "train"),
    ("pcs", "LLM", "GPU-a", "Train"),
    ("hyperpod-slurm", "SMHP-v4", "1-gpu-spot", "GPU"),
    ("hyperpod-slurm", "4x", "g" * 63, "q"),
    ("hyperpod-eks", "SMHP-v4", "GPU", "gpu"),
    ("eks", "My_Cluster", "GPU_nodes", "1q"),
    ("eks", "a" * 100, "1", "q"),
]
REFUSED = [
    ("parallelcluster", "4x", "h200", "train", "write cluster-4x"),
    ("parallelcluster", "a" * 61, "h200", "train", f"write {'a' * 60}"),
    ("parallelcluster", "llm", "GPU", "train", "write gpu"),
    ("parallelcluster", "llm", "h200", "GPU_train", "write gpu-train"),
    ("pcs", "ab", "h200", "train", "write ab-cluster"),
    ("pcs", "a_b", "h200", "train", "write a-b"),
    ("pcs", "llm", "1-gpu", "train", "write nodes-1-gpu"),
    ("hyperpod-slurm", "a_b", "h200", "train", "write a-b"),
    ("hyperpod-slurm", "llm", "h200", "ml.p5.48xlarge", "write ml-p5-48xlarge"),
    ("hyperpod-eks", "llm", "h200", "GPU", "write gpu"),
    ("hyperpod-eks", "llm", "h200", "q" * 41, f"write {'q' * 40}"),
    ("eks", "llm", "h200", "Train", "write train"),
]


def spec(cluster: str, group: str, queue: str) -> str:
    return f"""
version: 1
name: "{cluster}"
region: us-east-1
network: {{zone: use1-az6}}
node_groups: [{{name: "{group}", instance_type: p5en.48xlarge, count: 2}}]
queues: [{{name: "{queue}", node_groups: ["{group}"]}}]
targets: {{hyperpod-eks: {{eks_cluster: new}}}}
"""


def errors_of(text: str, target: str) -> list[Finding]:
    return list(errors(check(text, target=target).findings))


@pytest.mark.parametrize(("target", "cluster", "group", "queue"), ACCEPTED)
def test_what_the_service_accepts_is_no_error(
    target: str, cluster: str, group: str, queue: str
) -> None:
    found = errors_of(spec(cluster, group, queue), target)
    assert found == []


@pytest.mark.parametrize(("target", "cluster", "group", "queue", "help"), REFUSED)
def test_what_it_does_not_accept_has_a_similar_name(
    target: str, cluster: str, group: str, queue: str, help: str
) -> None:
    [finding] = errors_of(spec(cluster, group, queue), target)
    assert (finding.code, finding.help) == ("LIM001", help)


def test_partitions_of_scripts_may_have_dots() -> None:
    legacy = "targets: {hyperpod-slurm: {mode: legacy}}"
    queue = "queues: [{name: ml.p5.48xlarge, node_groups: [h200]}]"
    assert "LIM001" not in Fragments("hyperpod-slurm").codes(f"{legacy}\n{queue}")


def test_objects_of_a_group_with_capitals() -> None:
    """What EKS calls nodes stays as written; objects of Kubernetes are in lower case."""
    files = Fragments("eks").files(spec("My_Cluster", "GPU_nodes", "train"))
    assert "smoke/gpu-nodes-all-reduce.yaml" in files
    kueue = files["manifests/kueue.yaml"]
    assert "name: gpu-nodes" in kueue
    assert "eks.amazonaws.com/nodegroup: GPU_nodes" in kueue
    stacks = json.loads(files["bundle.json"])["stacks"]
    assert stacks["foundation"]["name"] == "My-Cluster-foundation"
    assert '"NodegroupName": "GPU_nodes"' in files["cluster.template.json"]


ALIKE = [
    ("pcs", "cpu-1", "cpu1", True),
    ("pcs", "GPU", "gpu", True),
    ("eks", "a_b", "a-b", True),
    ("hyperpod-slurm", "GPU", "gpu", True),
    ("hyperpod-slurm", "cpu-1", "cpu1", False),
]


@pytest.mark.parametrize(("target", "first", "second", "collide"), ALIKE)
def test_groups_whose_names_become_one(target: str, first: str, second: str, collide: bool) -> None:
    groups = ", ".join(
        f"{{name: {name}, instance_type: m7i.xlarge, count: 1}}" for name in (first, second)
    )
    codes = Fragments(target).codes(f"node_groups: [{groups}]")
    assert ("LIM013" in codes) == collide


def test_a_queue_that_is_not_written_has_the_name_of_its_group() -> None:
    fragment = "node_groups: [{name: GPU, instance_type: m7i.xlarge, count: 1}]"
    found = [f for f in Fragments("eks").findings(fragment) if f.code == "LIM001"]
    assert [f.help for f in found] == [
        "write gpu, or add to queues: {name: gpu, node_groups: [GPU]}"
    ]

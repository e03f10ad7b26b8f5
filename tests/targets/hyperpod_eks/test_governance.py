"""Queues as quotas of HyperPod task governance: one row, one decision."""

import json
from typing import Any

import pytest

from clustergen.deployment import calls, reading
from clustergen.targets.hyperpod_eks import governance, governance_limits
from tests.support import service_models
from tests.targets.hyperpod_eks.new_cluster import codes, document_of, files_of_new, plan_of_new
from tests.targets.hyperpod_eks.planned import files_of
from tests.validators.cloudformation import check, lint
from tests.validators.cloudformation.intrinsics import resolve
from tests.validators.service_model import validate

ARN = "arn:aws:sagemaker:us-east-1:123456789012:cluster/0a1b2c3d4e5f"
TWO = """
node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 3}]
queues: [{name: train, node_groups: [h200]}, {name: tune, node_groups: [h200, cpu]}]
"""
THREE = """
node_groups: [{name: h200, count: 8}]
queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]},
         {name: c, node_groups: [h200]}]
"""


def count(type: str, number: int) -> dict[str, Any]:
    return {"InstanceType": type, "Count": number}


def part(profile: str, number: int) -> dict[str, Any]:
    wanted = {"Type": profile, "Count": number}
    return {"InstanceType": "ml.p5en.48xlarge", "AcceleratorPartition": wanted}


RESOURCES: list[tuple[str, str, list[dict[str, Any]]]] = [
    # Without a word on queues, each node group is one.
    ("", "h200", [count("ml.p5en.48xlarge", 2)]),
    # A group of two queues is shared out.
    (TWO, "train", [count("ml.p5en.48xlarge", 1)]),
    (TWO, "tune", [count("ml.p5en.48xlarge", 1), count("ml.m7i.4xlarge", 3)]),
    # What is left over goes to the first.
    (THREE, "a", [count("ml.p5en.48xlarge", 3)]),
    (THREE, "b", [count("ml.p5en.48xlarge", 3)]),
    (THREE, "c", [count("ml.p5en.48xlarge", 2)]),
    # Two groups of one type are one.
    ("node_groups: [{name: more, instance_type: p5en.48xlarge, count: 4}]\n"
     "queues: [{name: all, node_groups: [h200, more]}]", "all", [count("ml.p5en.48xlarge", 6)]),
    # Pods ask for partitions: two nodes of eight GPUs of seven, or of two kinds.
    ("node_groups: [{name: h200, mig: {1g.18gb: 7}}]", "h200", [part("mig-1g.18gb", 112)]),
    ("node_groups: [{name: h200, mig: {1g.18gb: 1, 2g.35gb: 1, 3g.71gb: 1}}]", "h200",
     [part("mig-1g.18gb", 16), part("mig-2g.35gb", 16), part("mig-3g.71gb", 16)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "queue", "expected"), RESOURCES)
def test_capacity_of_a_queue(text: str, queue: str, expected: list[dict[str, Any]]) -> None:
    made = document_of(f"governance/compute-quota-{queue}.json", text)
    assert made["ComputeQuotaConfig"]["ComputeQuotaResources"] == expected
    assert made["ComputeQuotaTarget"]["TeamName"] == queue


@pytest.mark.parametrize("nodes", range(1, 12))
def test_no_capacity_counts_twice(nodes: int) -> None:
    text = THREE.replace("count: 8", f"count: {nodes}")
    plan = plan_of_new(text)
    owners = governance.owners(plan)
    shares = [next(governance.resources(queue, owners))["Count"] for queue in plan.queues]
    assert sum(shares) == nodes
    assert max(shares) - min(shares) <= 1


BORROWED = [("", "h200", 100), (TWO, "train", 100), (THREE, "a", 167), (THREE, "c", 300)]


@pytest.mark.parametrize(("text", "queue", "percent"), BORROWED)
def test_a_queue_may_borrow_all_nodes_of_its_groups(text: str, queue: str, percent: int) -> None:
    """As a percentage of idle nodes, and of its own: AWS's texts say both."""
    made = document_of(f"governance/compute-quota-{queue}.json", text)
    assert made["ComputeQuotaConfig"]["ResourceSharingConfig"]["BorrowLimit"] == percent


WEIGHTS = [
    ([None, None], {}),
    ([90, None], {"q0": 90}),
    ([0, 100], {"q0": 0, "q1": 100}),
    ([500, 1000], {"q0": 50, "q1": 100}),
    ([65533, 1], {"q0": 100, "q1": 0}),
]


@pytest.mark.parametrize(("priorities", "expected"), WEIGHTS)
def test_priorities_are_weights(priorities: list[int | None], expected: dict[str, int]) -> None:
    said = ["" if p is None else f", priority: {p}" for p in priorities]
    queues = [f"{{name: q{n}, node_groups: [h200]{words}}}" for n, words in enumerate(said)]
    text = f"queues: [{', '.join(queues)}]"
    config = document_of("governance/cluster-scheduler-config.json", text)["SchedulerConfig"]
    classes = {entry["Name"]: entry["Weight"] for entry in config.get("PriorityClasses", [])}
    assert classes == expected
    assert ("K8S422" in codes(text)) == (max((p or 0) for p in priorities) > 100)
    for number, _ in enumerate(priorities):
        target = document_of(f"governance/compute-quota-q{number}.json", text)["ComputeQuotaTarget"]
        assert target.get("FairShareWeight") == expected.get(f"q{number}")


def test_the_readme_names_the_labels_of_jobs_and_pods() -> None:
    text = "queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]%s}]"
    plain, weighted = (
        " ".join(files_of(text % more)["README.md"].split()) for more in ("", ", priority: 90")
    )
    assert "hyperpod-ns-a-localqueue` on the job and on the template of its pods" in plain
    assert "priority-class" not in plain
    assert "`kueue.x-k8s.io/priority-class: b-priority`" in weighted


@pytest.mark.parametrize("text", [text for text, _, _ in RESOURCES])
def test_the_service_accepts_the_requests(text: str) -> None:
    plan = plan_of_new(text)
    owned = {"ClusterArn": ARN}
    members = document_of(governance.SCHEDULER, text)
    create = {"Name": plan.name, **owned, **members}
    assert validate("sagemaker", "CreateClusterSchedulerConfig", create) == []
    update = {"ClusterSchedulerConfigId": "0a1b2c3d4e5f", "TargetVersion": 1, **members}
    assert validate("sagemaker", "UpdateClusterSchedulerConfig", update) == []
    for name, path in governance.quotas(plan).items():
        members = document_of(path, text)
        made = {"Name": name, **owned, **members}
        assert validate("sagemaker", "CreateComputeQuota", made) == []
        update = {"ComputeQuotaId": "0a1b2c3d4e5f", "TargetVersion": 1, **members}
        assert validate("sagemaker", "UpdateComputeQuota", update) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [text for text, _, _ in RESOURCES])
def test_the_template_equals_the_requests(text: str) -> None:
    template = document_of(governance.TEMPLATE, text)
    assert check(template) == []
    assert [*lint({"t": json.dumps(template)}, ["us-east-1"])] == []
    plan = plan_of_new(text)
    resolved = resolve(template, {"HyperPodClusterArn": ARN})
    made = {resource.properties["Name"]: resource.properties for resource in resolved}
    assert set(made) == {plan.name, *governance.quotas(plan)}
    for name, path in governance.quotas(plan).items():
        assert made[name] == {"Name": name, "ClusterArn": ARN, **document_of(path, text)}


REGIONS = [("us-east-1", "use1-az6", True), ("us-west-2", "usw2-az1", False)]


@pytest.mark.parametrize(("region", "zone", "has"), REGIONS)
def test_a_template_where_cloudformation_has_the_types(region: str, zone: str, has: bool) -> None:
    files = files_of_new(f"region: {region}\nnetwork: {{zone: {zone}}}")
    assert (governance.TEMPLATE in files) == has
    assert governance.SCHEDULER in files


def test_partitions_are_those_of_the_service() -> None:
    shape = service_models.model("sagemaker").shape_for("AcceleratorPartitionConfig")
    assert {f"mig-{p}" for p in governance_limits.PARTITIONS} == set(shape.members["Type"].enum)


def test_a_changed_quota_has_another_description() -> None:
    texts = (f"node_groups: [{{name: h200, count: {number}}}]" for number in (2, 3))
    one, two = (document_of("governance/compute-quota-h200.json", text) for text in texts)
    assert one["Description"] != two["Description"]


UNWANTED = [
    ("kubernetes: {admission: none}", files_of_new),
    ("kubernetes: {admission: none}\nqueues: [{name: train, node_groups: [h200]}]", files_of),
    ("", files_of),
]


@pytest.mark.parametrize(("text", "files"), UNWANTED)
def test_no_quotas_without_task_governance(text: str, files: Any) -> None:
    made = files(text)
    assert [path for path in made if path.startswith("governance")] == []
    assert "quotas" not in json.loads(made["bundle.json"])["service"]["eks"]
    # It deletes the quotas of an earlier bundle.
    known = {*calls.commands(reading.parsed(made["bundle.json"]))}
    assert "sagemaker delete-compute-quota" in known
    assert "sagemaker create-compute-quota" not in known


def test_quotas_need_permissions() -> None:
    made = files_of_new("")
    known = {*calls.commands(reading.parsed(made["bundle.json"]))}
    assert {"sagemaker create-compute-quota", "sagemaker update-compute-quota"} <= known


FINDINGS = [
    ("queues: [{name: train, node_groups: [h200], time_limit: 7d}]", "K8S425", True),
    ("queues: [{name: train, node_groups: [h200], exclusive: true}]", "K8S425", True),
    ("queues: [{name: train, node_groups: [h200], default: true}]", "K8S425", True),
    ("queues: [{name: train, node_groups: [h200], exclusive: false}]", "K8S425", False),
    ("kubernetes: {admission: none}\n"
     "queues: [{name: train, node_groups: [h200], time_limit: 7d}]", "K8S425", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "found"), FINDINGS)
def test_findings(text: str, code: str, found: bool) -> None:
    assert (code in codes(text)) == found


MIXED = """
node_groups: [{name: mixed, instance_types: [g6e.12xlarge, g6.12xlarge], count: 5}]
queues: [{name: train, node_groups: [mixed]}]
"""


def test_a_group_of_several_types_counts_once() -> None:
    plan = plan_of_new(MIXED)
    [queue] = plan.queues
    resources = governance.resources(queue, governance.owners(plan))
    found = {each["InstanceType"]: each["Count"] for each in resources}
    assert found == {"ml.g6e.12xlarge": 3, "ml.g6.12xlarge": 2}


def test_a_queue_may_have_all_nodes_of_whatever_type() -> None:
    """HyperPod may find five of one type, and a job of five pods runs on one type."""
    quota = document_of("governance/compute-quota-train.json", MIXED)["ComputeQuotaConfig"]
    assert quota["ResourceSharingConfig"]["BorrowLimit"] == 150
    for text, shared in ((MIXED, "Enabled"), (MIXED.replace(", g6.12xlarge", ""), None)):
        config = document_of(governance.SCHEDULER, text)["SchedulerConfig"]
        assert config.get("IdleResourceSharing") == shared

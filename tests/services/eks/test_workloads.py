"""What add-ons and charts bring lands on the nodes that it is for, and asks for what they have."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
import yaml

from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.eks import addons
from clustergen.services.eks.versions import VERSIONS
from clustergen.services.kubernetes import capacity, karpenter, labels_and_taints
from clustergen.services.kubernetes.components import components
from tests.services.eks import workloads
from tests.services.eks.workloads import ADDONS, CHARTS, WITHOUT_PODS, Workload
from tests.services.kubernetes.planned import files_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.support.checking import EXAMPLES, check_example

Values = Mapping[str, Any]


def _examples() -> Iterator[tuple[str, Plan]]:
    for name in EXAMPLES:
        if name.startswith("eks-") and "eks" in (plans := check_example(name).plans):
            yield name, plans["eks"]


PLANS = {**{name: plan_of(text) for name, text in SPECS.items()}, **dict(_examples())}


def given(plan: Plan) -> dict[str, Values]:
    """What a cluster has, by add-on or chart, and what each is configured with."""
    managed = (*addons.NETWORKING, *addons.wanted(plan))
    return {
        **{addon.name: addon.configuration or {} for addon in managed},
        **{component.name: component.values for component in components(plan)},
    }


def tolerated(taint: Taint, workload: Workload) -> bool:
    """https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"""
    return any(
        each.get("key") in (None, taint.key)
        and each.get("effect") in (None, "", taint.effect)
        and (each.get("operator") == "Exists" or each.get("value", "") == taint.value)
        for each in workload.tolerations
    )


def kept_away(
    workload: Workload, labels: Mapping[str, str], taints: tuple[Taint, ...]
) -> Iterator[str]:
    """Why a workload does not run on a node; nothing if it does."""
    for key, value in workload.selector.items():
        if labels.get(key) != value:
            yield f"{workload.name}: no label {key}={value}"
    for taint in taints:
        hard = taint.effect != "PreferNoSchedule"
        if hard and not tolerated(taint, workload):
            yield f"{workload.name}: taint {taint.key}"


def node_labels(group: NodeGroup) -> dict[str, str]:
    """Labels that this bundle gives; images add others, on some versions of Kubernetes only."""
    own = labels_and_taints.labels(group)
    return {**own, labels_and_taints.NODE_GROUP_LABEL: group.name}


SYSTEM = {labels_and_taints.NODE_GROUP_LABEL: labels_and_taints.SYSTEM}


def problems(plan: Plan, by: Mapping[str, Values]) -> list[str]:
    """Workloads of a cluster that do not run where they should."""
    brought = [each for name, values in by.items() for each in workloads.brought(name, values)]
    found = [
        f"{group.name}: {why}"
        for group in plan.node_groups
        for each in brought
        if workloads.is_for(each, group)
        for why in kept_away(each, node_labels(group), labels_and_taints.taints(group))
    ]
    for each in brought:
        if each.place in ("system", "every"):
            found += kept_away(each, SYSTEM, ())
    return found


@pytest.mark.parametrize("name", PLANS)
def test_each_workload_runs_on_its_nodes(name: str) -> None:
    for version in VERSIONS:
        plan = PLANS[name]
        plan = replace(plan, kubernetes=replace(plan.kubernetes, version=version))
        assert problems(plan, given(plan)) == []


def test_every_add_on_and_chart_is_in_the_table() -> None:
    known = {each.brought_by for each in (*ADDONS, *CHARTS)} | WITHOUT_PODS
    assert {name for plan in PLANS.values() for name in given(plan)} <= known
    assert all(each.source.startswith("https://") for each in (*ADDONS, *CHARTS))


DOCKER_HUB = {"Volcano", "Volcano and Kueue", "eks-reserved-volcano"}
"""Clusters that need it: its limits on pulls are those of all who share an address."""


@pytest.mark.parametrize("name", PLANS)
def test_images_are_in_registries_that_nodes_can_pull_from(name: str) -> None:
    by = given(PLANS[name])
    images = [w.image for chart, values in by.items() for w in workloads.brought(chart, values)]
    assert any(image.startswith("docker.io/") for image in images) is (name in DOCKER_HUB)
    assert all("/" in image and "." in image.partition("/")[0] for image in images if image)


def test_every_image_of_the_table_is_of_a_workload_in_it() -> None:
    assert workloads.IMAGES.keys() <= {(each.brought_by, each.name) for each in CHARTS}


def test_nodes_of_karpenter_have_the_labels_and_taints_of_managed_ones() -> None:
    for plan in PLANS.values():
        for group in karpenter.groups(plan):
            of_group = [o for o in karpenter.objects(plan) if o["metadata"]["name"] == group.name]
            [pool] = [item for item in of_group if item["kind"] == "NodePool"]
            template = pool["spec"]["template"]
            assert template["metadata"]["labels"] == node_labels(group)
            keys = [taint["key"] for taint in template["spec"].get("taints", ())]
            assert keys == [taint.key for taint in labels_and_taints.taints(group)]


# A fault in what a cluster is given, and the workload that it keeps away.
FAULTS: list[tuple[str, str, Values, str]] = [
    ("smallest", "eks-node-monitoring-agent", {}, "dcgm-server: taint nvidia.com/gpu"),
    ("smallest", "nvidia-device-plugin", {"tolerations": []}, "taint nvidia.com/gpu"),
    ("file systems of every kind", "aws-mountpoint-s3-csi-driver", {}, "s3-csi-node: taint"),
    ("UltraServers", "dra-driver-nvidia-gpu", {}, "controller: no label node-role"),
    ("smallest", "aws-efa-k8s-device-plugin", {}, "aws-efa-k8s-device-plugin: taint"),
    ("smallest", "kueue", {"controllerManager": {"nodeSelector": {"role": "system"}}}, "role"),
]


@pytest.mark.parametrize(("spec", "by", "values", "expected"), FAULTS)
def test_a_fault_is_caught(spec: str, by: str, values: Values, expected: str) -> None:
    plan = PLANS[spec]
    found = problems(plan, {**given(plan), by: values})
    assert any(expected in each for each in found), found


def test_nodes_without_the_gpu_label_are_detected() -> None:
    plan = PLANS["smallest"]
    [group] = plan.node_groups
    plugins = list(workloads.brought("nvidia-device-plugin", given(plan)["nvidia-device-plugin"]))
    assert [*kept_away(plugins[0], {}, labels_and_taints.taints(group))] == [
        "nvidia-device-plugin: no label nvidia.com/gpu.present=true"
    ]


def test_quotas_exclude_agents_on_each_node() -> None:
    """The most that a node can have of them, whatever the spec asks for."""
    for plan in PLANS.values():
        for group in plan.node_groups:
            agents = [w for w in (*ADDONS, *CHARTS) if workloads.is_for(w, group)]
            cpu_millis, memory_mib = map(sum, zip(*(w.requests for w in agents), strict=True))
            assert cpu_millis <= capacity.AGENTS_CPU * 1000
            assert memory_mib <= capacity.AGENTS_MIB


_UNITS = {"Mi": 1, "Gi": 1024}


def amount(text: str) -> float:
    """A quantity in the units of a node's capacity."""
    unit = text[-2:]
    return float(text.removesuffix(unit)) * _UNITS[unit] if unit in _UNITS else float(text)


def pods_in(item: Any) -> Iterator[Any]:
    """The pods of any object: what has containers."""
    if isinstance(item, dict) and "containers" in item:
        yield item
    inside = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    for inner in inside:
        yield from pods_in(inner)


@pytest.mark.parametrize("name", SPECS)
def test_tests_and_jobs_request_what_their_nodes_offer(name: str) -> None:
    plan = PLANS[name]
    groups = {group.name: group for group in plan.node_groups}
    for path, text in files_of(SPECS[name]).items():
        jobs = text if path.startswith(("smoke/", "jobs/")) else ""
        for item in yaml.load_all(jobs, yaml.CSafeLoader):
            for pod in pods_in(item):
                group = groups[pod["nodeSelector"][labels_and_taints.NODE_GROUP_LABEL]]
                offered = capacity.node_capacity(plan, group)
                for container in pod["containers"]:
                    wanted = container.get("resources", {}).get("requests", {})
                    assert wanted.keys() <= offered.keys()
                    for resource, text_of in wanted.items():
                        assert amount(text_of) <= offered[resource]


def test_karpenter_nodes_have_no_huge_pages_in_quotas() -> None:
    plan = PLANS["Karpenter, Spot and a reservation"]
    offered = {g.name: "hugepages-2Mi" in capacity.node_capacity(plan, g) for g in plan.node_groups}
    assert offered == {"h200": True, "spot": False, "held": False}
    files = files_of(SPECS["Karpenter, Spot and a reservation"])
    assert "hugepages" not in files["smoke/held-all-reduce.yaml"]

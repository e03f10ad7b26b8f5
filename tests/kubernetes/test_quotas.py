"""Quotas are what the node groups hold: devices to the number, the rest a little less."""

from __future__ import annotations

from typing import Any

import pytest

from clustergen.artifacts import Json
from clustergen.kubernetes import capacity, kueue
from clustergen.plan.model import NodeGroup
from tests.kubernetes.planned import objects_of, plan_of
from tests.kubernetes.specs import SPECS
from tests.oracles.instance_types import all_types
from tests.oracles.kubernetes_kueue import held

KUEUE = "manifests/kueue.yaml"
WITH_KUEUE = [name for name in SPECS if objects_of(SPECS[name], KUEUE)]


def flavor_of(text: str, group: str) -> Json:
    """The flavor of the nodes of a group."""
    [flavor] = [
        item
        for item in objects_of(text, KUEUE)
        if item["kind"] == "ResourceFlavor" and group in item["spec"]["nodeLabels"].values()
    ]
    return flavor


def total(spec: str, group: str, resource: str) -> float:
    """The quota of all queues and cohorts together: no node is promised twice."""
    objects = objects_of(SPECS[spec], KUEUE)
    owners = [item for item in objects if item["kind"] in ("ClusterQueue", "Cohort")]
    flavor = flavor_of(SPECS[spec], group)["metadata"]["name"]
    return sum(held(owner, flavor, resource) for owner in owners)


def ec2(group: NodeGroup) -> dict[str, Any]:
    """EC2's own facts of a group's smallest type."""
    facts: list[dict[str, Any]] = [all_types()[type.name] for type in group.types]
    return min(facts, key=lambda fact: fact["MemoryInfo"]["SizeInMiB"])


CASES = [
    (name, group.name)
    for name in WITH_KUEUE
    for group in plan_of(SPECS[name]).node_groups
    if group.type.name in all_types()
]


@pytest.mark.parametrize(("spec", "name"), CASES)
def test_quotas(spec: str, name: str) -> None:
    plan = plan_of(SPECS[spec])
    [group] = [group for group in plan.node_groups if group.name == name]
    facts = ec2(group)
    cores = facts["VCpuInfo"]["DefaultCores"] * group.threads_per_core * group.max
    assert 0.7 * cores <= total(spec, name, "cpu") < cores
    memory = facts["MemoryInfo"]["SizeInMiB"] * 2**20 * group.max
    assert 0.65 * memory <= total(spec, name, "memory") <= 0.93 * memory
    gpus = sum(gpu["Count"] for gpu in facts.get("GpuInfo", {}).get("Gpus", ()))
    whole = 0 if group.mig else gpus * group.max
    assert total(spec, name, "nvidia.com/gpu") == whole
    for profile, count in group.mig.items():
        assert (
            total(spec, name, f"nvidia.com/mig-{profile.replace('+', '.')}")
            == count * gpus * group.max
        )
    chips = sum(one["Count"] for one in facts.get("NeuronInfo", {}).get("NeuronDevices", ()))
    assert total(spec, name, "aws.amazon.com/neuron") == chips * group.max
    # How many a node can have, the validator of network interfaces says.
    efa = sum(interface.type != "interface" for interface in group.interfaces)
    assert total(spec, name, "vpc.amazonaws.com/efa") == efa * group.max


def test_nodes_of_two_queues_are_their_cohorts() -> None:
    objects = objects_of(SPECS["queues that share groups, and one that does not"], KUEUE)
    queues = {item["metadata"]["name"]: item for item in objects if item["kind"] == "ClusterQueue"}
    [cohort] = [item for item in objects if item["kind"] == "Cohort"]
    assert [held(queues[name], "h100", "nvidia.com/gpu") for name in ("train", "tune")] == [0, 0]
    assert held(cohort, "h100", "nvidia.com/gpu") == 32
    assert held(queues["train"], "h200", "nvidia.com/gpu") == 16
    assert {name: queue["spec"].get("cohortName") for name, queue in queues.items()} == {
        "train": "with-train",
        "tune": "with-train",
        "prep": None,
    }


# Chains of queues that share groups pairwise are one cohort, whatever their order.
CHAINS = [
    ("a: [x], b: [y], c: [x, y]", [{"a", "b", "c"}]),
    ("a: [x], b: [y], c: [z]", []),
    ("a: [x], b: [x], c: [y], d: [y]", [{"a", "b"}, {"c", "d"}]),
]


@pytest.mark.parametrize(("queues", "cohorts"), CHAINS)
def test_cohorts(queues: str, cohorts: list[set[str]]) -> None:
    written = "".join(
        f"  - {{name: {part.split(': ')[0]}, node_groups: {part.split(': ')[1]}}}\n"
        for part in queues.replace("], ", "]; ").split("; ")
    )
    groups = "".join(
        f"  - {{name: {name}, instance_type: g5.2xlarge, count: 1}}\n" for name in "xyz"
    )
    text = f"node_groups:\n  - {{name: h200, count: 1}}\n{groups}queues:\n{written}"
    objects = objects_of(text, KUEUE)
    found: dict[str, set[str]] = {}
    for item in objects:
        if item["kind"] == "ClusterQueue" and "cohortName" in item["spec"]:
            found.setdefault(item["spec"]["cohortName"], set()).add(item["metadata"]["name"])
    assert list(found.values()) == cohorts
    assert set(found) == {item["metadata"]["name"] for item in objects if item["kind"] == "Cohort"}


TOPOLOGIES = [
    ("smallest", "h200", "aws-network"),
    ("queues that share groups, and one that does not", "prep", "hosts"),
    ("small nodes", "h200", "hosts"),
    ("Karpenter, Spot and a reservation", "h200", "aws-network"),
    # Nodes that are not there yet are in no topology.
    ("Karpenter, Spot and a reservation", "spot", None),
    ("HPC nodes", "h200", "aws-network"),
    ("GovCloud", "h200", "aws-network"),
    # EC2 reports no topology there.
    ("GovCloud, East", "h200", "hosts"),
    ("claims of devices", "h200", None),
]


@pytest.mark.parametrize(("spec", "name", "topology"), TOPOLOGIES)
def test_topologies(spec: str, name: str, topology: str | None) -> None:
    flavor = flavor_of(SPECS[spec], name)
    assert flavor["spec"].get("topologyName") == topology


TAINTED = "node_groups: [{name: h200, taints: [{key: a, value: b, effect: NoSchedule}]}]"
OTHERS = [
    TAINTED,
    TAINTED.replace("b,", "c,"),
    "node_groups: [{name: h200, accelerator_taint: false}]",
    "node_groups: [{name: h200, count: {min: 0, max: 2}}]\nkubernetes: {autoscaler: karpenter}",
    "kubernetes: {devices: dra}",
]


def test_a_flavor_that_differs_has_another_name() -> None:
    """Kueue rejects other tolerations, and another topology, of a flavor with a topology."""
    names = [flavor_of(text, "h200")["metadata"]["name"] for text in ("", *OTHERS)]
    assert names.count("h200") == 1
    assert len(set(names[:-1])) == len(names) - 1
    for text, name in zip(OTHERS, names[1:], strict=True):
        plan = plan_of(text)
        assert kueue.flavor_name(plan, plan.node_groups[0]) == name
        assert {each["name"] for each in _quotas(text)} == {name}


def _quotas(text: str) -> list[Json]:
    queues = [item for item in objects_of(text, KUEUE) if item["kind"] == "ClusterQueue"]
    groups = [group for queue in queues for group in queue["spec"]["resourceGroups"]]
    return [flavor for group in groups for flavor in group["flavors"]]


# What `kubectl describe node` says of m7i.large: 1930m of 2 vCPUs, 6.9 of 8 GiB.
def test_capacity_of_a_small_node() -> None:
    plan = plan_of("node_groups: [{name: h200, instance_type: m7i.xlarge, count: 1}]")
    found = capacity.node_capacity(plan, plan.node_groups[0])
    assert found["cpu"] == 2
    assert 11_000 < found["memory"] < 13_000
    assert found["ephemeral-storage"] == 91_136


def test_chips_count_once() -> None:
    """Neuron's plugin offers the same chips as devices and as cores."""
    assert total("Trainium", "h200", "aws.amazon.com/neuron") == 32
    assert total("Trainium", "h200", "aws.amazon.com/neuroncore") == 0
    [job] = objects_of(SPECS["Trainium"], "smoke/h200-nccom.yaml")
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["command"][1:3] == ["-r", "32"]

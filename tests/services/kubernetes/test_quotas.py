"""Quotas are what the node groups hold: devices to the number, the rest a little less."""

import functools
from typing import Any

import pytest

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup
from clustergen.services.kubernetes import capacity, kueue
from tests.services.kubernetes.planned import objects_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.support.checking import Fragments
from tests.validators.instance_types import all_types
from tests.validators.kubernetes_kueue import held

KUEUE = "manifests/kueue.yaml"


@functools.cache
def of_kind(text: str, *kinds: str) -> list[Json]:
    return [item for item in objects_of(text, KUEUE) if item["kind"] in kinds]


def flavor_of(text: str, group: str) -> Json:
    """The flavor of the nodes of a group."""
    flavors = of_kind(text, "ResourceFlavor")
    [flavor] = [item for item in flavors if group in item["spec"]["nodeLabels"].values()]
    return flavor


def total(spec: str, group: str, resource: str) -> float:
    """The quota of all queues and cohorts together: no node is promised twice."""
    flavor = flavor_of(SPECS[spec], group)["metadata"]["name"]
    owners = of_kind(SPECS[spec], "ClusterQueue", "Cohort")
    return sum(held(owner, flavor, resource) for owner in owners)


def ec2(group: NodeGroup) -> dict[str, Any]:
    """EC2's own facts of a group's largest type."""
    facts: list[dict[str, Any]] = [all_types()[type.name] for type in group.types]
    return max(facts, key=lambda fact: fact["MemoryInfo"]["SizeInMiB"])


@pytest.mark.parametrize("spec", SPECS)
def test_quotas(spec: str) -> None:
    plan = plan_of(SPECS[spec])
    assert bool(objects_of(SPECS[spec], KUEUE)) == kueue.is_on(plan)
    for group in plan.node_groups if kueue.is_on(plan) else ():
        if group.type.name in all_types():
            assert_quotas(spec, group)


def assert_quotas(spec: str, group: NodeGroup) -> None:
    """Queues promise nearly all cores and memory of the group's nodes, and each device."""
    name, facts = group.name, ec2(group)
    cores = facts["VCpuInfo"]["DefaultCores"] * group.threads_per_core * group.max
    assert 0.7 * cores <= total(spec, name, "cpu") < cores
    memory = facts["MemoryInfo"]["SizeInMiB"] * 2**20 * group.max
    assert 0.65 * memory <= total(spec, name, "memory") <= 0.93 * memory
    gpus = sum(gpu["Count"] for gpu in facts.get("GpuInfo", {}).get("Gpus", ()))
    whole = 0 if group.mig else gpus * group.max
    assert total(spec, name, "nvidia.com/gpu") == whole
    for profile, count in group.mig.items():
        parts = total(spec, name, f"nvidia.com/mig-{profile.replace('+', '.')}")
        assert parts == count * gpus * group.max
    chips = sum(one["Count"] for one in facts.get("NeuronInfo", {}).get("NeuronDevices", ()))
    assert total(spec, name, "aws.amazon.com/neuron") == chips * group.max
    # How many a node can have, the validator of network interfaces says.
    efa = sum(interface.type != "interface" for interface in group.interfaces)
    assert total(spec, name, "vpc.amazonaws.com/efa") == efa * group.max


def test_nodes_of_two_queues_are_their_cohorts() -> None:
    text = SPECS["queues that share groups, and one that does not"]
    queues = {item["metadata"]["name"]: item for item in of_kind(text, "ClusterQueue")}
    [cohort] = of_kind(text, "Cohort")
    assert [held(queues[name], "h100", "nvidia.com/gpu") for name in ("train", "tune")] == [0, 0]
    assert held(cohort, "h100", "nvidia.com/gpu") == 32
    assert held(queues["train"], "h200", "nvidia.com/gpu") == 16
    cohorts = {name: queue["spec"].get("cohortName") for name, queue in queues.items()}
    assert cohorts == {"train": "with-train", "tune": "with-train", "prep": None}


# Chains of queues that share groups pairwise are one cohort, whatever their order.
CHAINS = [
    ({"a": "x", "b": "y", "c": "x, y"}, [{"a", "b", "c"}]),
    ({"a": "x", "b": "y", "c": "z"}, []),
    ({"a": "x", "b": "x", "c": "y", "d": "y"}, [{"a", "b"}, {"c", "d"}]),
]


@pytest.mark.parametrize(("queues", "cohorts"), CHAINS)
def test_cohorts(queues: dict[str, str], cohorts: list[set[str]]) -> None:
    small = "instance_type: g5.2xlarge, count: 1"
    groups = ", ".join(f"{{name: {name}, {small}}}" for name in "xyz")
    written = ", ".join(f"{{name: {n}, node_groups: [{of}]}}" for n, of in queues.items())
    text = f"node_groups: [{{name: h200, count: 1}}, {groups}]\nqueues: [{written}]"
    found: dict[str, set[str]] = {}
    for item in of_kind(text, "ClusterQueue"):
        if "cohortName" in item["spec"]:
            found.setdefault(item["spec"]["cohortName"], set()).add(item["metadata"]["name"])
    assert list(found.values()) == cohorts
    assert set(found) == {item["metadata"]["name"] for item in of_kind(text, "Cohort")}


TOPOLOGIES = [
    ("smallest", "h200", "aws-network"),
    ("queues that share groups, and one that does not", "prep", "hosts"),
    ("small nodes", "h200", "hosts"),
    ("Karpenter, Spot and a reservation", "h200", "aws-network"),
    # Nodes that are not there yet are in no topology.
    ("Karpenter, Spot and a reservation", "spot", None),
    # Kueue offers a job only flavors with a topology, or only those without.
    ("queues of Karpenter's nodes and others", "h200", None),
    ("queues of Karpenter's nodes and others", "h100", "aws-network"),
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


LAYERS = [
    ("eks", "p5en.48xlarge", 3),
    ("eks", "p6-b200.48xlarge", 4),
    # A node without one of the labels is in no topology.
    ("eks", "p6-b200.48xlarge, p5en.48xlarge", 3),
    ("eks", "p6-b200.48xlarge, g5.48xlarge", 0),
    ("hyperpod-eks", "p6-b200.48xlarge", 3),
]


@pytest.mark.parametrize(("target", "types", "layers"), LAYERS)
def test_layers_are_those_of_the_labels_of_all_nodes(target: str, types: str, layers: int) -> None:
    group = f"{{name: h200, instance_type: null, instance_types: [{types}], efa: false}}"
    plan = Fragments(target).plan(f"node_groups: [{group}]")
    [found] = [each for each in kueue.objects(plan) if each["kind"] == "Topology"]
    levels = [each["nodeLabel"] for each in found["spec"]["levels"]]
    network = [f"topology.k8s.aws/network-node-layer-{layer + 1}" for layer in range(layers)]
    assert levels == [*network, "kubernetes.io/hostname"]


TAINTED = "node_groups: [{name: h200, taints: [{key: a, value: b, effect: NoSchedule}]}]"
OTHERS = [
    TAINTED,
    TAINTED.replace("b,", "c,"),
    "node_groups: [{name: h200, accelerator_taint: false}]",
    "node_groups: [{name: h200, instance_type: p6-b200.48xlarge}]",
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
    queues = of_kind(text, "ClusterQueue")
    groups = [group for queue in queues for group in queue["spec"]["resourceGroups"]]
    return [flavor for group in groups for flavor in group["flavors"]]


SIZES = "instance_type: null, instance_types: [g6e.12xlarge, g6e.48xlarge], efa: false"
MIXED = f"node_groups: [{{name: h200, {SIZES}, count: {{min: 0, max: 4}}}}]\n"
# All nodes may be the larger ones, of which a lower quota would leave half idle.
OF_TYPES = [
    (MIXED, 32),
    (MIXED.replace("12xlarge, g6e.48xlarge", "48xlarge, g6e.12xlarge"), 32),
    (f"{MIXED}kubernetes: {{autoscaler: karpenter}}", 32),
    # Without a topology, Kueue does not look at the nodes.
    (f"{MIXED}kubernetes: {{devices: dra}}", 16),
]


@pytest.mark.parametrize(("text", "gpus"), OF_TYPES)
def test_types_with_other_numbers_of_gpus(text: str, gpus: int) -> None:
    [flavor] = _quotas(text)
    held = {each["name"]: each["nominalQuota"] for each in flavor["resources"]}
    assert held["nvidia.com/gpu"] == str(gpus)
    assert (int(held["cpu"]) > 4 * 48) == (gpus == 32)


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

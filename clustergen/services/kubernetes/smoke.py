"""Smoke tests as jobs: accelerators, EFA, collectives over nodes, file systems."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clustergen.base.artifacts import Artifact
from clustergen.base.yaml_text import Lines
from clustergen.plan.images import AMAZON_LINUX, pulled
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import (
    all_reduce,
    capacity,
    collectives,
    file_systems,
    jobs,
    names,
    neuron_reduce,
    nvlink,
    pods,
    volumes,
)
from clustergen.services.kubernetes.collectives import Collective
from clustergen.services.kubernetes.manifest import file
from clustergen.services.kubernetes.pods import Placed
from clustergen.services.nodes.nccl import image_runs, tested

FOLDER = jobs.FOLDER


def files(plan: Plan, placed: Placed = pods.placed) -> Iterator[Artifact]:
    """The tests of each node group with nodes; ``placed`` restricts their pods to its nodes."""
    for group in plan.node_groups:
        if group.max:
            yield from _of_group(plan, group, placed)


def _of_group(plan: Plan, group: NodeGroup, placed: Placed) -> Iterator[Artifact]:
    for count in _counts(group):
        yield _of_each_node(plan, group, count, placed)
    if image_runs(group) and plan.kubernetes.jobs != "none":
        yield _all_reduce(plan, group, placed)
    elif alone := collectives.within_a_node(group):
        yield _collective(plan, group, alone, placed)
    if neuron_reduce.nodes(group):
        yield neuron_reduce.test(plan, group, placed)
    if nvlink.nodes(plan, group):
        yield nvlink.test(plan, group, placed)
    if volumes.mountable(plan):
        yield file_systems.test(plan, group, placed)


@dataclass(frozen=True, slots=True)
class _Count:
    """A kind of device to count on each node."""

    test: str
    what: str
    find: str
    """The command that prints the number."""
    devices: Mapping[str, int]
    """Requests of a pod: resource name -> number."""
    alone: bool = True
    """A pod uses its whole node."""

    @property
    def total(self) -> int:
        return sum(self.devices.values())


def _counts(group: NodeGroup) -> Iterator[_Count]:
    if accelerators := capacity.accelerators(group):
        yield _Count("accelerators", *_kind(group), accelerators)
    if group.mig:
        yield from (_partition(profile) for profile in group.mig)
    if interfaces := group.efa_interfaces:
        find = "ls -d /dev/infiniband/uverbs* | wc -l"
        yield _Count("efa", "EFA interfaces", find, {names.EFA_RESOURCE: interfaces})


def _partition(profile: str) -> _Count:
    """A test that a pod that requests one partition gets exactly one.

    A pod for each partition could exceed the pod limit of a node.
    """
    name = re.sub("[^a-z0-9]+", "-", profile)
    find = f"nvidia-smi -L | grep -cF 'MIG {profile} '"
    devices = {capacity.partition(profile): 1}
    return _Count(f"mig-{name}", f"partition {profile} in a pod", find, devices, alone=False)


def _kind(group: NodeGroup) -> tuple[str, str]:
    """The name of a group's accelerators, and the command that counts them."""
    if group.mig:
        return "MIG partitions", "nvidia-smi -L | grep -c MIG"
    if group.type.gpus:
        return "GPUs", "nvidia-smi -L | grep -c ^GPU"
    return "Neuron devices", "ls -d /dev/neuron[0-9]* | wc -l"


def _of_each_node(plan: Plan, group: NodeGroup, count: _Count, placed: Placed) -> Artifact:
    nodes = tested(group)
    expected = f"{count.total} {count.what}{' on each node' if count.alone else ''}"
    script = (
        f"found=$({count.find})\n"
        f'echo "$(uname -n): $found of {expected}"\n'
        f'[ "$found" -eq {count.total} ]\n'
    )
    taken = pods.resources(plan, group, count.devices)
    container = {
        "name": count.test,
        "image": pulled(plan, AMAZON_LINUX),
        "command": ["bash", "-c", Lines(script)],
        **taken.container,
    }
    expectation = f"{expected}, {nodes} {'of them' if count.alone else 'pods'}."
    test = jobs.Test(f"{group.object_name}-{count.test}", nodes, expectation, alone=count.alone)
    return jobs.job(
        plan, group, test, {**placed(plan, group), **taken.pod, "containers": [container]}
    )


def _all_reduce(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    name = f"{group.object_name}-all-reduce"
    objects = all_reduce.objects(plan, group, name, placed)
    return file(f"{FOLDER}/{name}.yaml", all_reduce.comment(plan, group, name, FOLDER), objects)


def _collective(plan: Plan, group: NodeGroup, test: Collective, placed: Placed) -> Artifact:
    """A job that runs a reduction within each node."""
    taken = pods.resources(plan, group, capacity.accelerators(group))
    container = {
        "name": test.name,
        "image": pulled(plan, test.image),
        "command": list(test.command),
    }
    pod = pods.with_shared_memory(placed(plan, group), taken, container)
    nodes = tested(group)
    expectation = f"{test.what}, each of {nodes} nodes separately."
    made = jobs.Test(f"{group.object_name}-{test.name}", nodes, expectation)
    return jobs.job(plan, group, made, pod)

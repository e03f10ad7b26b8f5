"""Jobs that prove the cluster works: accelerators, EFA, collectives over nodes, file systems."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from clustergen.artifacts import Artifact
from clustergen.kubernetes import (
    all_reduce,
    capacity,
    collectives,
    names,
    namespaces,
    nccl,
    pods,
    volumes,
)
from clustergen.kubernetes.collectives import Collective
from clustergen.kubernetes.manifest import Json, file, thing
from clustergen.kubernetes.pods import Placed
from clustergen.nccl import image_runs
from clustergen.plan.model import NodeGroup, Plan, Storage
from clustergen.yaml_text import Lines

FOLDER = "smoke"
# A release of Amazon Linux by its date, for x86_64 and arm64; such tags are not moved.
# https://gallery.ecr.aws/amazonlinux/amazonlinux (2026-11)
_IMAGE = "public.ecr.aws/amazonlinux/amazonlinux:2023.10.20260120.4"
_MINUTES = 60
"""After this a job gives up: nodes that Karpenter starts take some ten, and so do large images."""


def files(plan: Plan, placed: Placed = pods.placed) -> Iterator[Artifact]:
    """The tests of each node group; ``placed`` binds their pods to its nodes."""
    for group in plan.node_groups:
        yield from _of_group(plan, group, placed)


def _of_group(plan: Plan, group: NodeGroup, placed: Placed) -> Iterator[Artifact]:
    for count in _counts(group):
        yield _of_each_node(plan, group, count, placed)
    if image_runs(group) and plan.kubernetes.jobs != "none":
        yield _all_reduce(plan, group, placed)
    elif alone := collectives.within_a_node(group):
        yield _collective(plan, group, alone, placed)
    if volumes.of(plan):
        yield _file_systems(plan, group, placed)


@dataclass(frozen=True, slots=True)
class _Count:
    """Something that each node has a number of."""

    test: str
    what: str
    find: str
    """The command that prints how many there are."""
    devices: Mapping[str, int]
    """What a pod asks for: resource name -> number."""
    alone: bool = True
    """A pod takes all that its node has."""

    @property
    def total(self) -> int:
        return sum(self.devices.values())


def _counts(group: NodeGroup) -> Iterator[_Count]:
    if accelerators := capacity.accelerators(group):
        yield _Count("accelerators", *_kind(group), accelerators)
    if group.mig:
        yield from (_partition(profile) for profile in group.mig)
    if interfaces := capacity.efa_interfaces(group):
        find = "ls -d /dev/infiniband/uverbs* | wc -l"
        yield _Count("efa", "EFA interfaces", find, {names.EFA_RESOURCE: interfaces})


def _partition(profile: str) -> _Count:
    """One partition of a kind: whether a pod that asks for one gets it, and nothing else.

    All of them together could be more pods than a node takes.
    """
    name = re.sub("[^a-z0-9]+", "-", profile)
    find = f"nvidia-smi -L | grep -cF 'MIG {profile} '"
    devices = {capacity.partition(profile): 1}
    return _Count(f"mig-{name}", f"partition {profile} in a pod", find, devices, alone=False)


def _kind(group: NodeGroup) -> tuple[str, str]:
    """What the accelerators of a group are called, and how they are counted."""
    if group.mig:
        return "MIG partitions", "nvidia-smi -L | grep -c MIG"
    if group.type.gpus:
        return "GPUs", "nvidia-smi -L | grep -c ^GPU"
    return "Neuron devices", "ls -d /dev/neuron[0-9]* | wc -l"


def _of_each_node(plan: Plan, group: NodeGroup, count: _Count, placed: Placed) -> Artifact:
    """A job with one pod a node, which counts what it was given."""
    nodes = nccl.tested(group)
    expected = f"{count.total} {count.what}{' on each node' if count.alone else ''}"
    script = (
        f"found=$({count.find})\n"
        f'echo "$(uname -n): $found of {expected}"\n'
        f'[ "$found" -eq {count.total} ]\n'
    )
    taken = pods.taking(plan, group, count.devices)
    container = {
        "name": count.test,
        "image": _IMAGE,
        "command": ["bash", "-c", Lines(script)],
        **taken.container,
    }
    says = f"{expected}, {nodes} {'of them' if count.alone else 'pods'}."
    test = _Test(f"{group.name}-{count.test}", nodes, says, alone=count.alone)
    return _job(plan, group, test, {**placed(plan, group), **taken.pod, "containers": [container]})


@dataclass(frozen=True, slots=True)
class _Test:
    """A job with one pod for each of some nodes."""

    name: str
    nodes: int
    says: str
    alone: bool = True
    """A pod takes all that its node has. Others are kept apart, and wait in no queue: Kueue would
    choose their nodes, and knows nothing of pods that keep apart."""


def _job(plan: Plan, group: NodeGroup, test: _Test, pod: Json) -> Artifact:
    namespace = namespaces.of_group(plan, group)
    spec: Json = {
        "completions": test.nodes,
        "parallelism": test.nodes,
        "completionMode": "Indexed",
        # Each node fails for itself, so that the others are still heard.
        "backoffLimitPerIndex": 0,
        "activeDeadlineSeconds": _MINUTES * 60,
        "template": pods.template(plan, group, _kept(test, pod), queued=test.alone),
    }
    job = thing(
        "batch/v1",
        "Job",
        test.name,
        namespace=namespace,
        labels=pods.queue_labels(plan, group) if test.alone else {},
        spec=spec,
    )
    return file(f"{FOLDER}/{test.name}.yaml", _how(test, namespace), [job])


def _kept(test: _Test, pod: Json) -> Json:
    """One pod a node, where it does not take all of it."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": names.HOST_LABEL,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"batch.kubernetes.io/job-name": test.name}},
    }
    spread = {} if test.alone else {"topologySpreadConstraints": [constraint]}
    return {"restartPolicy": "Never", **spread, **pod}


def _how(test: _Test, namespace: str) -> Iterator[str]:
    at = f"--namespace {namespace}"
    yield f"{test.says} Run it when nothing else does:"
    yield f"  kubectl apply -f {FOLDER}/{test.name}.yaml"
    yield f"  kubectl wait {at} --for=condition=complete --timeout={_MINUTES}m job/{test.name}"
    yield f"  kubectl logs {at} --selector job-name={test.name} --prefix --tail=-1"
    yield f"  kubectl delete {at} job/{test.name}"


def _all_reduce(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    name = f"{group.name}-all-reduce"
    objects = all_reduce.objects(plan, group, name, placed)
    return file(f"{FOLDER}/{name}.yaml", all_reduce.comment(plan, group, name, FOLDER), objects)


def _collective(plan: Plan, group: NodeGroup, test: Collective, placed: Placed) -> Artifact:
    """A job in which the accelerators of each node reduce together, each node by itself."""
    taken = pods.taking(plan, group, capacity.accelerators(group))
    container = {
        "name": test.name,
        "image": test.image,
        "command": list(test.command),
        **taken.container,
        "volumeMounts": [all_reduce.SHARED_MEMORY_MOUNT],
    }
    pod = {
        **placed(plan, group),
        **taken.pod,
        "containers": [container],
        "volumes": [all_reduce.SHARED_MEMORY],
    }
    nodes = nccl.tested(group)
    says = f"{test.what}, each of {nodes} nodes by itself."
    return _job(plan, group, _Test(f"{group.name}-{test.name}", nodes, says), pod)


def _file_systems(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    """Two nodes write into each file system, and each sees what the other wrote."""
    items = volumes.of(plan)
    nodes = min(nccl.tested(group), 2)
    script = "".join(_look(item, nodes) for item in items)
    container = {
        "name": "file-systems",
        "image": _IMAGE,
        "command": ["bash", "-ec", Lines(_FUNCTIONS + script)],
        "env": [_RUN],
        "resources": pods.amounts({"cpu": "1", "memory": "1Gi"}),
        "volumeMounts": [
            {"name": volumes.claim_name(item), "mountPath": item.mount} for item in items
        ],
    }
    pod = {**placed(plan, group), "containers": [container], "volumes": _claims(items)}
    mounts = ", ".join(item.mount for item in items)
    test = _Test(f"{group.name}-file-systems", nodes, f"{mounts} from {nodes} nodes.", alone=False)
    return _job(plan, group, test, pod)


# Of this run of the job: what an earlier one has left is not taken for its own.
_RUN = {
    "name": "RUN",
    "valueFrom": {
        "fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/controller-uid']"}
    },
}
_FUNCTIONS = """\
wait_for() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if [ -e "$1" ]; then return 0; fi
    sleep 2
  done
  echo "$1 is not seen from here" >&2
  return 1
}
read_and_write() {
  local at="$1/.clustergen-test-$RUN" pods=$2 n
  mkdir -p "$at"
  head -c 4194304 /dev/urandom >"$at/$JOB_COMPLETION_INDEX"
  for ((n = 0; n < pods; n++)); do
    wait_for "$at/$n"
    cat "$at/$n" >/dev/null
  done
  echo done >"$at/done-$JOB_COMPLETION_INDEX"
  echo "$1: written, and read from all of $pods"
  if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
    for ((n = 0; n < pods; n++)); do wait_for "$at/done-$n"; done
    rm -rf "$at"
  fi
}
"""


def _claims(items: Iterable[Storage]) -> list[Json]:
    found = ((volumes.claim_name(item), item) for item in items)
    return [{"name": name, "persistentVolumeClaim": _claim(name, item)} for name, item in found]


def _claim(name: str, item: Storage) -> Json:
    return {"claimName": name, **({"readOnly": True} if volumes.read_only(item) else {})}


def _look(item: Storage, nodes: int) -> str:
    """What is done with one file system: a file of each pod, which every other has to see."""
    mount = shlex.quote(item.mount.rstrip("/") or "/")
    if volumes.read_only(item):
        return f"ls {mount} >/dev/null\necho {mount} is read\n"
    return f"read_and_write {mount} {nodes}\n"

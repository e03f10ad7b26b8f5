"""Jobs that prove the cluster works: accelerators, EFA devices, and NCCL over the nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.artifacts import Artifact
from clustergen.hyperpod import names, steps
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.hyperpod_eks import collectives, karpenter, manifests, mig, nccl
from clustergen.targets.hyperpod_eks.collectives import Collective
from clustergen.targets.hyperpod_eks.limits import EFA_RESOURCE, GROUP_LABEL

Json = dict[str, Any]

# A release of Amazon Linux by its date, for x86_64 and arm64; such tags are not moved.
# https://gallery.ecr.aws/amazonlinux/amazonlinux (2026-11)
_IMAGE = "public.ecr.aws/amazonlinux/amazonlinux:2023.10.20260120.4"
FOLDER = "smoke"
_MINUTES = 60
"""After this a job gives up: nodes that Karpenter starts take some ten, and so do large images."""
_SHARED_MEMORY: Json = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
_SHARED_MEMORY_MOUNT: Json = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108 a mount, no file


def files(plan: Plan) -> Iterator[Artifact]:
    """The tests of each group that has accelerators or EFA."""
    for group in plan.node_groups:
        yield from _of_group(plan, group)


def _of_group(plan: Plan, group: NodeGroup) -> Iterator[Artifact]:
    if group.type.gpus or group.type.neuron_devices:
        yield _of_each_node(plan, group, _accelerators(group))
    for profile in group.mig:
        yield _of_each_node(plan, group, _partition(profile))
    if steps.efa_devices(group):
        yield _of_each_node(plan, group, _efa(group))
    if nccl.runs(group):
        yield _all_reduce(plan, group)
    elif alone := collectives.within_a_node(group):
        yield _collective(plan, group, alone)


def accelerators(group: NodeGroup) -> Mapping[str, int]:
    """What a pod asks for to have all accelerators of a node: resource name -> number."""
    if group.mig:
        return mig.resources(group)
    if group.type.gpus:
        return {"nvidia.com/gpu": group.type.gpus}
    return {"aws.amazon.com/neuron": group.type.neuron_devices}


@dataclass(frozen=True, slots=True)
class _Count:
    """Something that each node has a number of."""

    test: str
    what: str
    find: str
    """The command that prints how many there are."""
    resources: Mapping[str, int]
    """What a pod asks for to have all of them: resource name -> number."""
    apart: bool = False
    """A pod leaves room for others of its job, which are to be on other nodes."""

    @property
    def total(self) -> int:
        return sum(self.resources.values())


def _accelerators(group: NodeGroup) -> _Count:
    what, find = "Neuron devices", "ls -d /dev/neuron[0-9]* | wc -l"
    if group.mig:
        what, find = "MIG partitions", "nvidia-smi -L | grep -c MIG"
    elif group.type.gpus:
        what, find = "GPUs", "nvidia-smi -L | grep -c ^GPU"
    return _Count("accelerators", what, find, accelerators(group))


def _partition(profile: str) -> _Count:
    """One partition of a kind: whether a pod that asks for one gets it, and nothing else.

    All of them together could be more pods than a node takes.
    """
    name = re.sub("[^a-z0-9]+", "-", profile)
    find = f"nvidia-smi -L | grep -cF 'MIG {profile} '"
    resource = {f"nvidia.com/mig-{profile}": 1}
    return _Count(f"mig-{name}", f"partition {profile} in a pod", find, resource, apart=True)


def _efa(group: NodeGroup) -> _Count:
    find = "ls -d /dev/infiniband/uverbs* | wc -l"
    return _Count("efa", "EFA devices", find, {EFA_RESOURCE: steps.efa_devices(group)})


def _of_each_node(plan: Plan, group: NodeGroup, count: _Count) -> Artifact:
    """A job with one pod a node, which counts what it was given."""
    expected = f"{count.total} {count.what}{'' if count.apart else ' on each node'}"
    number = f"{_nodes_of(group)} {'pods' if count.apart else 'of them'}"
    script = (
        f'found=$({count.find}); echo "$(uname -n): $found of {expected}"; '
        f'[ "$found" -eq {count.total} ]'
    )
    container = {
        "name": count.test,
        "image": _IMAGE,
        "command": ["bash", "-c", script],
        "resources": _resources(count.resources),
    }
    spec = {"containers": [container]}
    if count.apart:
        spec |= _apart(f"{group.name}-{count.test}")
    return _job(plan, group, count.test, f"{expected}, {number}.", spec)


def _nodes_of(group: NodeGroup) -> int:
    return nccl.nodes(group, group.max)


def _apart(job: str) -> Json:
    """No two pods of a job on one node."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"batch.kubernetes.io/job-name": job}},
    }
    return {"topologySpreadConstraints": [constraint]}


def _job(plan: Plan, group: NodeGroup, test: str, what: str, pod: Json) -> Artifact:
    """A job with one pod on each node of a group; ``what`` is the first line of its file."""
    name, nodes = f"{group.name}-{test}", _nodes_of(group)
    job: Json = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            "completions": nodes,
            "parallelism": nodes,
            "completionMode": "Indexed",
            # Each node fails for itself, so that the others are still heard.
            "backoffLimitPerIndex": 0,
            "activeDeadlineSeconds": _MINUTES * 60,
            "template": {"spec": {"restartPolicy": "Never", **placed(plan, group), **pod}},
        },
    }
    comment = (
        f"{what} Run it when nothing else does:",
        f"  kubectl apply -f {FOLDER}/{name}.yaml",
        f"  kubectl wait --for=condition=complete --timeout={_MINUTES}m job/{name}",
        f"  kubectl logs --selector job-name={name} --prefix --tail=-1",
    )
    return manifests.file(f"{FOLDER}/{name}.yaml", comment, [job])


def _collective(plan: Plan, group: NodeGroup, test: Collective) -> Artifact:
    """A job in which the accelerators of each node reduce together, each node by itself."""
    container = {
        "name": test.name,
        "image": test.image,
        "command": list(test.command),
        "resources": _resources(accelerators(group)),
        "volumeMounts": [_SHARED_MEMORY_MOUNT],
    }
    pod: Json = {"containers": [container], "volumes": [_SHARED_MEMORY]}
    what = f"{test.what}, each of {_nodes_of(group)} nodes by itself."
    return _job(plan, group, test.name, what, pod)


def placed(plan: Plan, group: NodeGroup) -> Json:
    """Where the pods of a test run: on nodes of its group, whatever taints they have."""
    tolerations = [
        {"key": taint.key, "operator": "Exists", "effect": taint.effect} for taint in group.taints
    ]
    return {
        **_nodes(plan, group),
        **({"tolerations": tolerations} if tolerations else {}),
        "automountServiceAccountToken": False,
    }


def _nodes(plan: Plan, group: NodeGroup) -> Json:
    """Karpenter starts nodes only for what it knows of: its pools and the types of instances."""
    pool = next((pool for pool in karpenter.pools(plan) if group in pool.groups), None)
    if pool is None:
        return {"nodeSelector": {GROUP_LABEL: group.name}}
    types = {
        "key": "node.kubernetes.io/instance-type",
        "operator": "In",
        "values": [names.ml_name(type) for type in group.types],
    }
    terms = {"nodeSelectorTerms": [{"matchExpressions": [types]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    return {
        "nodeSelector": {"karpenter.sh/nodepool": pool.name},
        "affinity": {"nodeAffinity": required},
    }


def _resources(amounts: Mapping[str, int | str]) -> Json:
    """Extended resources and huge pages: what is asked for is the limit, too."""
    found = {name: str(amount) for name, amount in amounts.items()}
    return {"limits": found, "requests": dict(found)}


def _all_reduce(plan: Plan, group: NodeGroup) -> Artifact:
    name = f"{group.name}-all-reduce"
    nodes = nccl.nodes(group)
    devices = steps.efa_devices(group)
    wanted: dict[str, int | str] = {**accelerators(group), "memory": "32000Mi"}
    if devices:
        # libfabric keeps its buffers there; the driver has set them aside on every node.
        # https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
        wanted |= {EFA_RESOURCE: devices, "hugepages-2Mi": "5120Mi"}
    job: Json = {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": name},
        "spec": {
            "slotsPerWorker": group.type.gpus,
            # The launcher fails until the workers have pulled their image.
            "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 20},
            "mpiReplicaSpecs": {
                "Launcher": _replicas(1, "OnFailure", _launcher(plan, group)),
                "Worker": _replicas(nodes, "Never", _worker(plan, group, _resources(wanted))),
            },
        },
    }
    return manifests.file(f"{FOLDER}/{name}.yaml", _comment(group, name), [job])


def _replicas(count: int, restart: str, spec: Json) -> Json:
    return {"replicas": count, "restartPolicy": restart, "template": {"spec": spec}}


def _launcher(plan: Plan, group: NodeGroup) -> Json:
    container = {"name": "launcher", "image": nccl.IMAGE, "command": nccl.command(group)}
    return {**placed(plan, group), "containers": [container]}


def _worker(plan: Plan, group: NodeGroup, resources: Json) -> Json:
    container = {
        "name": "worker",
        "image": nccl.IMAGE,
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
        "resources": resources,
        "volumeMounts": [_SHARED_MEMORY_MOUNT],
    }
    return {**placed(plan, group), "containers": [container], "volumes": [_SHARED_MEMORY]}


def _comment(group: NodeGroup, name: str) -> Iterator[str]:
    nodes = nccl.nodes(group)
    yield f"NCCL all_reduce over {nodes} x {group.type.gpus} GPUs. Run it when nothing else does:"
    yield f"  kubectl apply -f {FOLDER}/{name}.yaml"
    yield (
        "  kubectl logs --follow --selector training.kubeflow.org/job-role=launcher,"
        f"training.kubeflow.org/job-name={name}"
    )
    yield 'It is right when "# Out of bounds values : 0 OK" is there'
    if steps.efa_devices(group):
        yield f'and NET/OFI says "Selected provider is efa" with {steps.efa_devices(group)} nics.'
    yield from nccl.reference(group)

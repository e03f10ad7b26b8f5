"""Jobs that prove that a Slurm cluster works, sized from its plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from clustergen import shell
from clustergen.artifacts import Artifact, Bundle
from clustergen.catalog import InstanceType, ultraservers
from clustergen.hyperpod import mounts, steps
from clustergen.plan.model import NodeGroup, Plan

FOLDER = "smoke"
# Tags of this registry are never moved. https://gallery.ecr.aws/hpc-cloud/nccl-tests (2026-11)
IMAGE = (
    "docker://public.ecr.aws#hpc-cloud/nccl-tests"
    ":cuda12.8.1-efa1.43.2-ofiv1.16.3-ncclv2.27.7-1-testsv2.16.9"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A published all_reduce bus bandwidth, in GB/s at a message size in GiB."""

    nodes: int
    busbw: float
    size_gib: int


# https://github.com/awslabs/awsome-distributed-ai, nccl-tests/README.md (2026-07)
REFERENCES: Mapping[str, Reference] = MappingProxyType(
    {
        "p4de.24xlarge": Reference(2, 78.3, 2),
        "p5.48xlarge": Reference(2, 487, 16),
        "p6-b200.48xlarge": Reference(4, 377, 16),
        "p6-b300.48xlarge": Reference(2, 751, 64),
    }
)
# GPUs that the programs of IMAGE are built for; B300 runs those of B200.
# https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests (2026-11)
_GPUS_OF_IMAGE = frozenset({"A100", "A10G", "L4", "L40S", "H100", "H200", "B200", "B300"})


def slurm(plan: Plan) -> Bundle:
    """A set of batch jobs for every node group that a queue reaches, and a script that runs all."""
    jobs = [
        job
        for group in plan.node_groups
        for queue in plan.queues
        if group in queue.node_groups and group.max
        for job in _jobs(plan, group, queue.name)
    ]
    if not jobs:
        return ()
    run = Artifact(f"{FOLDER}/run.sh", shell.render("hyperpod/smoke/run.sh.j2"), executable=True)
    return (*jobs, run)


def _jobs(plan: Plan, group: NodeGroup, partition: str) -> Iterator[Artifact]:
    kind, count = steps.accelerators(group.type)
    values = {
        "group": group.name,
        "partition": partition,
        "nodes": group.max,
        "kind": kind if count else "",
        "accelerators": count,
        "efa": steps.efa_devices(group),
        "nvlink": bool(group.type.gpus) and bool(ultraservers.of_instance(group.type.name)),
        "tasks": 1,
        "minutes": 15,
    }
    yield _job("nodes", "Every node answers, with all its accelerators.", values)
    if group.efa:
        yield _job("efa", "Every node has all its EFA devices.", values)
    if group.type.gpus and not group.mig:
        yield from _all_reduce(plan, group, values)
    if kind == "neuron":
        what = "All accelerators reduce together; the table is for the eye."
        yield _job("nccom", what, {**values, "minutes": 60, "ranks": _ranks(group)})
    if places := [item.mount for item in mounts.writable(plan)]:
        what = "Every shared file system is one and the same on all nodes."
        yield _job("file-systems", what, {**values, "places": places})


def _all_reduce(plan: Plan, group: NodeGroup, values: dict[str, Any]) -> Iterator[Artifact]:
    sized = {
        **values,
        "tasks": group.type.gpus,
        "minutes": 60,
        "largest": f"{largest_gib(group)}G",
        "reference": reference(group.type.name),
        "image": IMAGE,
    }
    yield _job("all-reduce", "All GPUs reduce together, with the programs of the image.", sized)
    if plan.software.containers == "pyxis" and image_runs(group):
        yield _job("all-reduce-container", "All GPUs reduce together, in a container.", sized)


def reference(instance_type: str) -> str:
    """What others have measured, to compare with; it is no limit. Empty where nobody published."""
    found = REFERENCES.get(instance_type)
    if found is None:
        return ""
    return (
        f"Published for {found.nodes} x {instance_type}: {found.busbw:g} GB/s at "
        f"{found.size_gib} GiB. Other numbers of nodes differ; look closer below 75 % of it."
    )


def image_runs(group: NodeGroup) -> bool:
    """Whether :data:`IMAGE` has programs for the nodes of a group; it is of x86_64."""
    gpu = group.type.accelerator
    known = gpu is not None and gpu.kind == "gpu" and gpu.name in _GPUS_OF_IMAGE
    return known and group.type.arch == "x86_64" and not group.mig


def largest_gib(group: NodeGroup) -> int:
    """The largest message: a power of two, of which a GPU holds four (three, and NCCL's own)."""
    gpu = group.type.accelerator
    quarter = gpu.memory_mib // 1024 // 4 if gpu else 1
    return 1 << max(quarter.bit_length() - 1, 0)


# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/
# programming-guide/training/pytorch-neuron-programming-guide.html (2026-11): logical NeuronCores
# of a device, as they are without further settings.
_NEURON_CORES: Mapping[str, int] = MappingProxyType({"trn1": 2, "trn1n": 2, "trn2": 4})


def neuron_ranks(type: InstanceType) -> int:
    """Ranks of a node: one for each logical NeuronCore."""
    return type.neuron_devices * _NEURON_CORES.get(type.family, 1)


def _ranks(group: NodeGroup) -> int:
    return neuron_ranks(group.type) * group.max


def _job(test: str, what: str, values: Mapping[str, Any]) -> Artifact:
    text = shell.render(f"hyperpod/smoke/{test}.sbatch.j2", test=test, what=what, **values)
    return Artifact(f"{FOLDER}/{test}-{values['group']}.sbatch", text)

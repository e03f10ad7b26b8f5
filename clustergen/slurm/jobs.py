"""Batch jobs sized from the plan: allocation of nodes, and job templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clustergen import shell, torchrun
from clustergen.artifacts import Artifact, Bundle
from clustergen.plan.model import NodeGroup, Plan, Queue

FOLDER = "jobs"


def _no_options(_group: NodeGroup, _queue: Queue) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Cluster:
    """How Slurm allocates nodes to jobs on a target."""

    shared: Sequence[str]
    """Mount paths of file systems that nodes share and jobs write to."""
    gpus: bool = False
    """GPUs are Slurm resources, which jobs request; otherwise jobs find out when they run."""
    nccl_tests: bool = True
    """Images include nccl-tests."""
    selecting: Callable[[NodeGroup, Queue], list[str]] = _no_options
    """sbatch options that select the nodes of one group in a queue with several."""


def reached(plan: Plan) -> Iterator[tuple[NodeGroup, Queue]]:
    """The node groups with nodes, each with a queue that uses it: the first with all its nodes."""
    for group in plan.node_groups:
        queues = [queue for queue in plan.queues if group in queue.node_groups]
        queues.sort(key=lambda queue: group.name in queue.nodes)
        if queues and group.max:
            yield group, queues[0]


def allocation(group: NodeGroup, queue: Queue, cluster: Cluster) -> dict[str, Any]:
    """The #SBATCH lines that allocate the nodes of a job."""
    kind, count = group.accelerators
    return {
        "group": group.name,
        "partition": queue.name,
        "selecting": cluster.selecting(group, queue) if len(queue.node_groups) > 1 else [],
        "gpus": _gpus(group) if cluster.gpus and kind == "gpu" and count else 0,
    }


def _gpus(group: NodeGroup) -> int:
    """GPUs of a node as Slurm counts them; MIG partitions count as GPUs."""
    return sum(group.mig.values()) * group.type.gpus if group.mig else group.type.gpus


def files(plan: Plan, cluster: Cluster) -> Bundle:
    """A job template for every node group with a queue."""
    return tuple(_template(plan, group, queue, cluster) for group, queue in reached(plan))


def _template(plan: Plan, group: NodeGroup, queue: Queue, cluster: Cluster) -> Artifact:
    kind, count = group.accelerators
    values = {
        **allocation(group, queue, cluster),
        "type": group.type.name,
        "nodes": min(group.max, 2) if group.max else 1,
        "processes": torchrun.processes(group),
        "threads": torchrun.threads(group),
        "kind": kind if count else "",
        "efa": group.efa_interfaces,
        "nvlink": bool(group.type.nvlink_domain),
        "pyxis": plan.software.containers == "pyxis",
        "mounts": ",".join(f"{place}:{place}" for place in cluster.shared),
    }
    name = "torchrun" if count else "mpi"
    text = shell.render(f"slurm/jobs/{name}.sbatch.j2", **values)
    return Artifact(f"{FOLDER}/{name}-{group.name}.sbatch", text)

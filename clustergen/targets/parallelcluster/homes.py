"""Which ParallelCluster queue a node group's nodes belong to.

In ParallelCluster a compute resource belongs to one queue, and capacity type, image, volumes and
scripts are the queue's. A queue of the spec whose groups agree on these and have no queue yet
becomes a ParallelCluster queue, the home of its groups. Any other queue becomes a custom Slurm
partition over nodes that other queues own, which ParallelCluster leaves alone:
https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clustergen.plan.model import NodeGroup, Plan, Queue

_CAPACITY_TYPES = {"spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}


@dataclass(frozen=True, slots=True)
class Homes:
    """Queues that own nodes, partitions over them, and the queue's name by group name."""

    queues: tuple[Queue, ...]
    partitions: tuple[Queue, ...]
    of: dict[str, str]


def homes(plan: Plan) -> Homes:
    """The default queue is asked first: ParallelCluster makes its first queue the default one."""
    queues: list[Queue] = []
    partitions: list[Queue] = []
    of: dict[str, str] = {}
    for queue in sorted(plan.queues, key=lambda queue: not queue.default):
        if differing(plan, queue) or any(group.name in of for group in queue.node_groups):
            partitions.append(queue)
        else:
            queues.append(queue)
            of |= {group.name: queue.name for group in queue.node_groups}
    return Homes(tuple(queues), tuple(partitions), of)


def capacity_type(group: NodeGroup) -> str:
    """ParallelCluster's word for how the group is bought."""
    return _CAPACITY_TYPES.get(group.capacity.kind, "ONDEMAND")


def differing(plan: Plan, queue: Queue) -> list[str]:
    """Fields of the spec that ParallelCluster sets by queue and in which the groups differ."""
    return [field for field, values in _by_queue(plan, queue) if len(set(values)) > 1]


def _by_queue(plan: Plan, queue: Queue) -> Iterator[tuple[str, list[object]]]:
    groups = queue.node_groups
    yield "capacity", [capacity_type(group) for group in groups]
    yield "image", [group.image for group in groups]
    yield "root_volume", [group.volume for group in groups]
    yield "scratch", [group.scratch for group in groups]
    yield "scripts", [plan.scripts_of(group) for group in groups]

"""The queues of ParallelCluster: which own the nodes of node groups, and values of theirs.

In ParallelCluster, a compute resource belongs to one queue, which determines capacity type, image,
volumes and scripts. A queue of the spec becomes a ParallelCluster queue, which owns the nodes of
its groups, if it has all of their nodes, and they agree on these and have no queue yet. Any other
queue becomes a custom Slurm partition over nodes of other queues, which ParallelCluster does not
manage:
https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.aws import references
from clustergen.targets.parallelcluster.options import Options

_CAPACITY_TYPES = {"spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}


class QueueOwners(NamedTuple):
    """Queues that own nodes, and queues that are partitions over nodes of other queues."""

    queues: tuple[Queue, ...]
    partitions: tuple[Queue, ...]
    by_group: dict[str, str]
    """The name of the queue that owns a group's nodes, by group name."""


def queue_owners(plan: Plan) -> QueueOwners:
    """The queues; the default comes first, because ParallelCluster's first queue is the default."""
    queues: list[Queue] = []
    partitions: list[Queue] = []
    by_group: dict[str, str] = {}
    for queue in sorted(plan.queues, key=lambda queue: not queue.default):
        owned = any(group.name in by_group for group in queue.node_groups)
        if owned or queue.nodes or differing(plan, queue):
            partitions.append(queue)
        else:
            queues.append(queue)
            by_group |= {group.name: queue.name for group in queue.node_groups}
    return QueueOwners(tuple(queues), tuple(partitions), by_group)


def capacity_type(group: NodeGroup) -> str:
    """ParallelCluster's name for the purchase option of the group."""
    return _CAPACITY_TYPES.get(group.capacity.kind, "ONDEMAND")


def differing(plan: Plan, queue: Queue) -> list[str]:
    """Fields of the spec that ParallelCluster sets per queue, and in which the groups differ."""
    return [field for field, values in _by_queue(plan, queue) if len(set(values)) > 1]


def _by_queue(plan: Plan, queue: Queue) -> Iterator[tuple[str, list[object]]]:
    groups = queue.node_groups
    yield "capacity", [capacity_type(group) for group in groups]
    yield "image", [group.image for group in groups]
    yield "root_volume", [group.volume for group in groups]
    yield "scratch", [group.scratch for group in groups]
    yield "subnets", [group.subnets for group in groups]
    yield "security_groups", [group.security_groups for group in groups]
    own = plan.options_as(Options).own_security_groups
    yield "own_security_groups", [group.name in own for group in groups]
    yield "iam", [group.iam for group in groups]
    yield "allocation", [group.allocation for group in groups]
    yield "scripts", [plan.scripts_of(group) for group in groups]


def idle_minutes(seconds: int | None) -> int:
    """Idle time in whole minutes, rounded up; -1 if idle nodes never stop."""
    if seconds is None:
        return -1
    return -(-seconds // 60)


def subnets(plan: Plan, queue: Queue) -> list[str]:
    """One subnet, or one in each zone if the queue's nodes may be in several."""
    if own := queue.node_groups[0].subnets:
        return [references.text(id) for id in own]
    private = plan.network.private
    if any(group.one_zone for group in queue.node_groups):
        return [references.text(private[0].id)]
    # EC2 Fleet accepts one subnet per zone; an unknown zone could be any.
    zones = {subnet.zone: subnet for subnet in reversed(private) if subnet.zone}
    roaming = [subnet for subnet in private if zones.get(subnet.zone or "") == subnet]
    # The first one is preferred.
    chosen = roaming if private[0] in roaming else private[:1]
    return [references.text(subnet.id) for subnet in chosen]


def weight_of(group: NodeGroup) -> str | None:
    """The user's Weight for the nodes, as text."""
    return next((v for key, v in group.slurm.items() if key.lower() == "weight"), None)


class Weighed(NamedTuple):
    """Nodes of a queue: how many run always and at most, and the priorities of both kinds."""

    name: str
    least: int
    most: int
    static: int
    dynamic: int


def hasty(nodes: Iterable[Weighed]) -> str:
    """Which nodes of a queue Slurm may start while static ones are idle; empty if it starts none.

    It uses nodes of low priority first. See SlurmNodePrioritiesWarningValidator of pcluster.
    """
    nodes = list(nodes)
    idle = max(((each.static, each.name) for each in nodes if each.least > 0), default=None)
    new = min(((each.dynamic, each.name) for each in nodes if each.most > each.least), default=None)
    if not idle or not new or idle[0] < new[0]:
        return ""
    of_new, of_idle = (f"{name} (priority {number})" for number, name in (new, idle))
    return f"jobs may start nodes of {of_new} while nodes of {of_idle} are idle"

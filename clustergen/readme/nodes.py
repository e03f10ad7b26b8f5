"""The nodes, addresses and queues of a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clustergen.plan import numbers
from clustergen.plan.model import Capacity, Machine, NodeGroup, Plan, Queue
from clustergen.plan.network import capacity as addresses_of
from clustergen.readme import markdown
from clustergen.readme.markdown import Row, count, escape
from clustergen.spec.quantities import format_duration

_CAPACITY = {
    "on-demand": "On-Demand",
    "spot": "Spot",
    "reservation": "reservation",
    "reservation-group": "reservation group",
    "capacity-block": "Capacity Block",
    "interruptible-reservation": "interruptible reservation",
    "training-plan": "training plan",
}
_HEADER = ("Nodes", "Count", "Instance type", "Accelerators", "vCPUs", "EFA", "Capacity")


def table(plan: Plan) -> str:
    """One row for each kind of node; accelerators, vCPUs and EFA interfaces are per node."""
    return markdown.table(_HEADER, _rows(plan), right=(1, 4, 5))


def _rows(plan: Plan) -> Iterator[Row]:
    for group in plan.node_groups:
        yield _group(group, plan.least_nodes(group))
    more = [(f"(login {machine.name})", machine) for machine in plan.more_login]
    rest = (("(head node)", plan.head), ("(system)", plan.system))
    named = (("(login)", plan.login), *more, *rest)
    for title, machine in named:
        if machine:
            yield _machine(title, machine)


def _group(group: NodeGroup, least: int) -> Row:
    return (
        group.name,
        f"{group.max:,}" if group.static and least else f"{least:,} to {group.max:,}",
        " or ".join(type.name for type in group.types),
        " or ".join(f"{number} x {name}" for name, number in _accelerators(group)),
        f"{vcpus(group):,}",
        str(group.efa_interfaces or ""),
        _capacity(group.capacity),
    )


def _machine(title: str, machine: Machine) -> Row:
    type = machine.type
    return (title, f"{machine.count:,}", type.name, "", f"{type.vcpus:,}", "", "On-Demand")


def _capacity(capacity: Capacity) -> str:
    return " ".join(filter(None, (_CAPACITY[capacity.kind], capacity.id)))


def vcpus(group: NodeGroup) -> int:
    """vCPUs of one node for Slurm or Kubernetes; the maximum of its types."""
    return max(type.cores * group.threads_per_core for type in group.types)


def totals(plan: Plan) -> str:
    """Totals of the node groups at their maximum, and of needed addresses."""
    accelerators: Counter[str] = Counter()
    for group in plan.node_groups:
        if found := _accelerators(group):
            # Nodes have one of several types: count the maximum.
            title = " or ".join(name for name, _ in found)
            accelerators[title] += max(number for _, number in found) * group.max
    parts = [
        count(plan.max_nodes, "node"),
        count(sum(vcpus(group) * group.max for group in plan.node_groups), "vCPU"),
        *(f"{number:,} x {name}" for name, number in accelerators.items()),
    ]
    return f"At their maximum the node groups have {', '.join(parts)}.\n{_addresses(plan)}"


def _accelerators(group: NodeGroup) -> list[tuple[str, int]]:
    """Name and count of the accelerators of each type of the group, each once."""
    found = (type.accelerator for type in group.types)
    return list(dict.fromkeys((item.name, item.count) for item in found if item))


def _addresses(plan: Plan) -> str:
    needed = count(plan.network.needed_addresses, "IPv4 address", "es")
    subnet = plan.network.private[0]
    who = "The cluster needs" if plan.creates_cluster else "The added nodes need"
    if subnet.cidr is None:
        return f"{who} {needed} of the private subnet, whose size is not given."
    room = f"{escape(subnet.cidr)}, which has {addresses_of(subnet.cidr):,}"
    return f"{who} {needed} of the private subnet {room}."


def _part(queue: Queue, group: NodeGroup) -> str:
    """A group's name, and which of its nodes the queue has."""
    parts = queue.nodes.get(group.name)
    return f"{group.name} (nodes {numbers.text(parts)})" if parts else group.name


def queues(plan: Plan) -> str:
    """One row for each queue. An existing cluster has its own default."""
    rows = (
        (
            queue.name,
            ", ".join(_part(queue, group) for group in queue.node_groups),
            format_duration(queue.time_limit) if queue.time_limit else "none",
            "yes" if queue.default and not plan.options.of_others else "",
        )
        for queue in plan.queues
    )
    return markdown.table(("Queue", "Node groups", "Time limit", "Default"), rows)

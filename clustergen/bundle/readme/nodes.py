"""The nodes, addresses and queues of a cluster."""

from collections import Counter
from collections.abc import Iterator

from clustergen.output import markdown_text
from clustergen.output.markdown_text import Row, count, escape
from clustergen.plan import numbers, sizes, timetable
from clustergen.plan.model import Machine, NodeGroup, Plan, Queue
from clustergen.plan.network import capacity as addresses_of
from clustergen.spec.quantities import format_duration

_HEADER = ("Nodes", "Count", "Instance type", "Accelerators", "vCPUs", "EFA", "Capacity")


def table(plan: Plan) -> str:
    """One row for each kind of node; accelerators, vCPUs and EFA interfaces are per node."""
    return markdown_text.table(_HEADER, _rows(plan), right=(1, 4, 5))


def _rows(plan: Plan) -> Iterator[Row]:
    for group in plan.node_groups:
        yield _group(group, sizes.without_jobs(plan, group))
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
        " ".join(filter(None, (group.capacity.title, group.capacity.id))),
    )


def _machine(title: str, machine: Machine) -> Row:
    type = machine.type
    vcpus = type.cores * (machine.threads_per_core or type.threads_per_core)
    return (title, f"{machine.count:,}", type.name, "", f"{vcpus:,}", "", "On-Demand")


def vcpus(group: NodeGroup) -> int:
    """vCPUs of one node for Slurm or Kubernetes; the maximum of its types."""
    return max(type.cores * group.threads_per_core for type in group.types)


def totals(plan: Plan) -> str:
    """Totals of the node groups at their maximum, and of needed addresses."""
    accelerators: Counter[str] = Counter()
    for group in plan.node_groups:
        if found := _accelerators(group):
            # Nodes have one of several types: count the maximum.
            title = " or ".join(dict.fromkeys(name for name, _ in found))
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


def _limit(plan: Plan, queue: Queue) -> str:
    """The time limit of a queue, where something enforces it."""
    if not timetable.acts(plan):
        return "its owner's"
    governed = plan.sagemaker and plan.scheduler == "kubernetes"
    return format_duration(queue.time_limit) if queue.time_limit and not governed else "none"


def queues(plan: Plan) -> str:
    """One row for each queue. An existing cluster has its own default; only Slurm has one."""
    columns = 4 if plan.scheduler == "slurm" else 3
    rows = [
        (
            queue.name,
            ", ".join(_part(queue, group) for group in queue.node_groups),
            _limit(plan, queue),
            "yes" if queue.default and not plan.existing.owned else "",
        )[:columns]
        for queue in plan.queues
    ]
    return markdown_text.table(("Queue", "Node groups", "Time limit", "Default")[:columns], rows)

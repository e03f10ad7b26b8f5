"""What jobs get of the nodes of a group."""

from dataclasses import replace

from clustergen.plan.model import NodeGroup
from clustergen.plan.sizes import runs_multi_node


def smallest_first(group: NodeGroup) -> NodeGroup:
    """The group whose preferred type is the smallest: jobs for it fit on nodes of every type.

    A multi-node job names the type that it is for.
    """
    if runs_multi_node(group):
        return replace(group, types=group.types[:1])
    types = sorted(group.types, key=lambda t: (t.gpus, t.neuron_devices, t.cores))
    return replace(group, types=tuple(types))


def vcpus(group: NodeGroup) -> int:
    """The vCPUs that jobs can have on a node of every type."""
    threads = group.threads_per_core
    return min(type.cores * min(threads, type.threads_per_core) for type in group.types)


def most_vcpus(group: NodeGroup) -> int:
    """The vCPUs of all nodes, as Batch counts them: with two threads, even if one is off.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html
    """
    return group.max * max(type.vcpus for type in group.types)


def least_vcpus(group: NodeGroup) -> int:
    """The vCPUs that Batch keeps; multi-node jobs do not use them.

    https://docs.aws.amazon.com/batch/latest/userguide/managed_compute_environments.html
    """
    return 0 if runs_multi_node(group) else group.min * max(type.vcpus for type in group.types)


def memory_mib(group: NodeGroup) -> int:
    """The memory that a job asks for: the kernel and the agent keep a part of it.

    https://docs.aws.amazon.com/batch/latest/userguide/memory-management.html
    """
    return min(type.memory_mib for type in group.types) * 15 // 16


def devices(group: NodeGroup) -> tuple[str, ...]:
    """The device files that containers need, besides GPUs."""
    efa = (f"/dev/infiniband/uverbs{number}" for number in range(group.efa_interfaces))
    neuron = (f"/dev/neuron{number}" for number in range(group.type.neuron_devices))
    return (*efa, *neuron)


def free_slots(group: NodeGroup) -> int:
    """Interfaces that the first network card of a node can still hold."""
    used = sum(interface.card == 0 for interface in group.interfaces)
    return group.type.cards[0].max_interfaces - used


def shares_nodes(group: NodeGroup) -> bool:
    """Whether several jobs can run on a node: its devices are not part of what they ask for."""
    return not (runs_multi_node(group) or devices(group) or group.type.gpus)

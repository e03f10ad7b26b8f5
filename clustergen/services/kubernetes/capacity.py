"""Capacity of nodes for pods, rounded down, because a quota must not exceed it."""

from collections.abc import Mapping

from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import disks, karpenter
from clustergen.services.kubernetes.names import (
    EFA_RESOURCE,
    GPU_RESOURCE,
    HUGE_PAGES,
    HUGE_PAGES_MIB,
    MIG_PREFIX,
    NEURON_RESOURCE,
)

CPU, MEMORY, DISK = "cpu", "memory", "ephemeral-storage"
"""In vCPUs, MiB and MiB; huge pages are also in MiB."""
SIZES = frozenset({MEMORY, DISK, HUGE_PAGES})

# The part of the memory that hypervisor and kernel reserve, as Karpenter assumes.
# https://karpenter.sh/docs/reference/settings/ VM_MEMORY_OVERHEAD_PERCENT (2026-11)
_OVERHEAD = 0.075

# What nodeadm reserves for the kubelet: memory by the number of pods, and CPU in thousandths by the
# number of vCPUs. Then the eviction threshold of the kubelet.
# https://github.com/awslabs/amazon-eks-ami/blob/main/nodeadm/internal/kubelet/config.go (2026-07)
_RESERVED_MIB, _RESERVED_MIB_OF_A_POD = 255, 11
_RESERVED_CPU = ((1, 60), (1, 10), (2, 5), (1 << 16, 2.5))
_EVICTION_MIB = 100
_DISK_RESERVED_MIB, _DISK_EVICTION = 1024, 0.10
# https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html (2026-11)
_PODS_SMALL, _PODS_LARGE, _LARGE_VCPUS = 110, 250, 30
FEWEST_PODS = 12
"""Enough for the agents of a node with all software of a bundle, and a few jobs."""


def most_pods(type: InstanceType) -> int:
    """The pods that EKS recommends as the most on a node, whatever addresses it has."""
    return _PODS_LARGE if type.vcpus > _LARGE_VCPUS else _PODS_SMALL


# Requests of the agents that run on every node, rounded up: the VPC CNI, kube-proxy, CSI drivers,
# device plugins, node monitoring, CloudWatch's agent (https://github.com/aws/eks-charts, 2026-08).
AGENTS_CPU, AGENTS_MIB = 1.0, 2048


def node_capacity(plan: Plan, group: NodeGroup) -> Mapping[str, int]:
    """Capacity of one node by resource name; the minimum of the group's types.

    Devices are those of the preferred type, as in jobs: CAP004 says where types differ.
    """
    each = [_of_type(type, group) for type in group.types]
    found = {name: min(item[name] for item in each) for name in each[0]}
    return {**found, **devices(plan, group)}


def group_capacity(plan: Plan, group: NodeGroup, *, largest: bool = True) -> Mapping[str, int]:
    """Capacity of all nodes of a group at its maximum.

    All could be of the ``largest`` type. What looks at nodes before it starts pods finds out: a
    lower limit would leave some idle. Otherwise, see :func:`node_capacity`.
    """
    node = node_capacity(plan, group)
    each = [node, *({**_of_type(t, group), **_accelerators(t, group)} for t in group.types)]
    of = each if largest else each[:1]
    return {name: group.max * max(item.get(name, 0) for item in of) for name in node}


def devices(plan: Plan, group: NodeGroup) -> Mapping[str, int]:
    """Devices of one node that pods request by number; empty if pods use claims.

    Neuron devices only, not their cores, which would count the same chips twice.
    """
    if plan.kubernetes.devices == "dra":
        return huge_pages(plan, group)
    efa = group.efa_interfaces
    return {
        **accelerators(group),
        **({EFA_RESOURCE: efa} if efa else {}),
        **huge_pages(plan, group),
    }


def accelerators(group: NodeGroup) -> Mapping[str, int]:
    """A pod's requests for all accelerators of a node: resource name -> number."""
    return _accelerators(group.type, group)


def _accelerators(type: InstanceType, group: NodeGroup) -> Mapping[str, int]:
    if group.mig:
        return {partition(name): count * type.gpus for name, count in group.mig.items()}
    if type.gpus:
        return {GPU_RESOURCE: type.gpus}
    if type.neuron_devices:
        return {NEURON_RESOURCE: type.neuron_devices}
    return {}


def partition(profile: str) -> str:
    """The resource name of a MIG profile, in which the plus of 1g.10gb+me is not allowed.

    https://github.com/NVIDIA/k8s-device-plugin (2026)
    """
    return f"{MIG_PREFIX}{profile.replace('+', '.')}"


def quantity(name: str, amount: int) -> str:
    """An amount of a resource in Kubernetes notation."""
    return f"{amount}Mi" if amount and name in SIZES else str(amount)


def _of_type(type: InstanceType, group: NodeGroup) -> dict[str, int]:
    return {CPU: _cpu(type, group), MEMORY: _memory(type, group), DISK: _disk(type, group)}


def _cpu(type: InstanceType, group: NodeGroup) -> int:
    """Whole vCPUs; half of them if cores run one thread."""
    vcpus = type.cores * group.threads_per_core
    reserved, left = 0.0, vcpus
    for count, thousandths in _RESERVED_CPU:
        reserved += min(count, left) * thousandths / 1000
        left -= min(count, left)
    return max(int(vcpus - reserved - AGENTS_CPU), 0)


def _memory(type: InstanceType, group: NodeGroup) -> int:
    reserved = _RESERVED_MIB + _RESERVED_MIB_OF_A_POD * most_pods(type) + _EVICTION_MIB
    pages = HUGE_PAGES_MIB if _has_huge_pages(group) else 0
    return max(int(type.memory_mib * (1 - _OVERHEAD)) - reserved - pages - AGENTS_MIB, 0)


def _disk(type: InstanceType, group: NodeGroup) -> int:
    """Ephemeral storage on the combined local disks, or on the root volume."""
    local = type.disk_count * type.disk_gb * 1000**3 // 1024**2
    size = local or disks.root_gib(group.volume) * 1024
    return max(int(size * (1 - _DISK_EVICTION)) - _DISK_RESERVED_MIB, 0)


def huge_pages(plan: Plan, group: NodeGroup) -> Mapping[str, int]:
    """Huge pages of one node for pods, in MiB.

    Karpenter assumes none on new nodes, so it starts no node for a pod that requests them.
    https://github.com/aws/karpenter-provider-aws/issues/3315 (2026-08)
    """
    if karpenter.is_karpenter(plan, group) or not _has_huge_pages(group):
        return {}
    return {HUGE_PAGES: HUGE_PAGES_MIB}


def _has_huge_pages(group: NodeGroup) -> bool:
    """Whether the node has EFA, and boots an image for accelerators, which includes its driver."""
    return group.efa_interfaces > 0 and bool(group.type.gpus or group.type.neuron_devices)

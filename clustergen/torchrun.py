"""What torchrun needs on the nodes of a group: processes, threads and variables."""

from __future__ import annotations

from clustergen import nccl
from clustergen.catalog import neuron
from clustergen.plan.model import NodeGroup


def processes(group: NodeGroup) -> int:
    """Processes on a node: one for each GPU or Neuron core; NCCL joins no MIG partitions."""
    return 1 if group.mig else _accelerators(group)


def threads(group: NodeGroup) -> int:
    """Physical cores for each accelerator or partition."""
    return max(group.type.cores // max(_accelerators(group), 1), 1)


def _accelerators(group: NodeGroup) -> int:
    """Neuron cores, or GPUs and partitions of them."""
    return neuron.cores(group.type) or group.accelerators[1]


def environment(group: NodeGroup) -> dict[str, str]:
    """The variables of a process that do not depend on the job."""
    # Data loaders fork, and would run out of memory with huge pages.
    # https://github.com/awslabs/awsome-distributed-ai (2026-07: EFA cheat sheet)
    forks = {"FI_EFA_USE_HUGE_PAGE": "0"} if group.efa_interfaces else {}
    return {**nccl.environment(group), **forks, "OMP_NUM_THREADS": str(threads(group))}

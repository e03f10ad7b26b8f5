"""NCCL's tests: image, message sizes and published measurements."""

from clustergen.facts.catalog import InstanceType, families
from clustergen.facts.catalog.families import Measurement
from clustergen.plan.model import NodeGroup

# Tags in this registry never change. https://gallery.ecr.aws/hpc-cloud/nccl-tests (2026-11)
IMAGE = (
    "public.ecr.aws/hpc-cloud/nccl-tests:cuda12.8.1-efa1.43.2-ofiv1.16.3-ncclv2.27.7-1-testsv2.16.9"
)
# GPUs for which the programs in IMAGE are built; B300 runs those for B200.
# https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests (2026-11)
_GPUS_OF_IMAGE = frozenset({"A100", "A10G", "L4", "L40S", "H100", "H200", "B200", "B300"})


def image_runs(group: NodeGroup) -> bool:
    """Whether :data:`IMAGE`, which is for x86_64, has programs for the nodes of a group."""
    gpu = group.type.accelerator
    known = gpu is not None and gpu.kind == "gpu" and gpu.name in _GPUS_OF_IMAGE
    return known and group.type.arch == "x86_64" and not group.mig


def environment(group: NodeGroup) -> dict[str, str]:
    """Variables for NCCL and libfabric: EFA, and a log of what NCCL chooses.

    No more variables are needed: EFA's provider detects RDMA automatically. Interface names differ
    between types. https://github.com/awslabs/awsome-distributed-ai (2026-07: EFA cheat sheet)
    """
    logged = {"NCCL_DEBUG": "INFO", "NCCL_SOCKET_IFNAME": "^docker,lo,veth"}
    return {
        **(logged if group.type.gpus else {}),
        # Without the provider NCCL would silently use TCP.
        **({"FI_PROVIDER": "efa"} if group.efa_interfaces else {}),
    }


FEW_NODES = 2
"""Nodes of a test, for types without a published measurement and nodes that start on demand."""


def tested(group: NodeGroup) -> int:
    """Nodes of a test: all of a fixed group, few if they start on demand."""
    return group.max if group.static else min(group.max, FEW_NODES)


def largest_gib(group: NodeGroup) -> int:
    """The largest message in GiB: a power of two that fits four times into GPU memory."""
    gpu = group.type.accelerator
    quarter = gpu.memory_mib // 1024 // 4 if gpu else 1
    return 1 << max(quarter.bit_length() - 1, 0)


def measurement(type: InstanceType) -> Measurement | None:
    """The published measurement for an instance type, if any."""
    found = families.find(type.family).nccl
    return found if found and found.size == type.size else None


def reference(type: InstanceType) -> str:
    """A sentence with published measurements for comparison; empty if none exist."""
    found = measurement(type)
    if found is None:
        return ""
    return (
        f"Published for {found.nodes} x {type.name}: {found.busbw:g} GB/s at "
        f"{found.gib} GiB. Other numbers of nodes differ; investigate below 75 % of it."
    )

"""The test of NCCL: its image, its command, and what others have measured with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from clustergen.plan.model import NodeGroup

# https://gallery.ecr.aws/hpc-cloud/nccl-tests: CUDA, EFA installer, aws-ofi-nccl, NCCL and tests that
# go together; x86_64.
IMAGE = (
    "public.ecr.aws/hpc-cloud/nccl-tests:cuda12.8.1-efa1.43.2-ofiv1.16.3-ncclv2.27.7-1-testsv2.16.9"
)
# GPUs that its programs are built for; B300 runs those of B200.
# https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests (2026-11-20)
_GPUS = frozenset({"A100", "A10G", "L4", "L40S", "H100", "H200", "B200", "B300"})


@dataclass(frozen=True, slots=True)
class Measured:
    """Bus bandwidth of all_reduce over ``nodes``; by size in GiB, in GB/s."""

    nodes: int
    busbw: Mapping[int, float]


# https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests and, of p6,
# .../architectures/aws-pcs/tests/compute-test.md; 2026-11-20. Of other types nothing is published.
MEASURED: Mapping[str, Measured] = MappingProxyType(
    {
        "p4de.24xlarge": Measured(2, {2: 78.3}),
        "p5.48xlarge": Measured(2, {2: 443, 8: 479, 16: 487}),
        "p6-b200.48xlarge": Measured(4, {1: 367, 16: 377}),
        "p6-b300.48xlarge": Measured(2, {16: 654, 64: 751}),
    }
)
_NODES = 2
"""Of the test, for types without a measurement to compare with."""


def runs(group: NodeGroup) -> bool:
    """Whether the test's image has programs for the nodes of a group."""
    gpu = group.type.accelerator
    known = gpu is not None and gpu.kind == "gpu" and gpu.name in _GPUS
    return known and group.type.arch == "x86_64" and not group.mig


def nodes(group: NodeGroup, wanted: int | None = None) -> int:
    """Nodes of a test: ``wanted`` of a fixed group, few where Karpenter has to start them."""
    found = MEASURED.get(group.type.name)
    most = wanted or (found.nodes if found else _NODES)
    return min(group.max, most if group.static else _NODES)


def command(group: NodeGroup) -> list[str]:
    """What the launcher runs."""
    return [
        "/opt/amazon/openmpi/bin/mpirun",
        "--allow-run-as-root",
        *("-np", str(nodes(group) * group.type.gpus)),
        *("--bind-to", "none"),
        # MPI only starts the processes; it must not take EFA from NCCL.
        *("--mca", "pml", "^ucx"),
        *("--mca", "btl", "tcp,self"),
        *("--mca", "btl_tcp_if_exclude", "lo,docker0"),
        *("-x", "PATH"),
        *("-x", "LD_LIBRARY_PATH"),
        *("-x", "NCCL_DEBUG=INFO"),
        *("-x", "NCCL_SOCKET_IFNAME=^lo,docker,veth"),
        # Without the provider NCCL would go on over TCP, and nobody would notice.
        *(("-x", "FI_PROVIDER=efa") if group.efa else ()),
        "/opt/nccl-tests/build/all_reduce_perf",
        *("-b", "8", "-e", f"{largest_gib(group)}G", "-f", "2", "-g", "1", "-c", "1", "-n", "100"),
    ]


def largest_gib(group: NodeGroup) -> int:
    """The largest message: a power of two, of which a GPU holds four (three, and NCCL's own)."""
    gpu = group.type.accelerator
    quarter = gpu.memory_mib // 1024 // 4 if gpu else 1
    return 1 << max(quarter.bit_length() - 1, 0)


def reference(group: NodeGroup) -> Iterator[str]:
    """What others have measured, as lines of a comment; nothing where nothing is known."""
    found = MEASURED.get(group.type.name)
    if found is None or nodes(group) != found.nodes:
        return
    figures = ", ".join(f"{speed:g} GB/s at {size} GiB" for size, speed in found.busbw.items())
    yield f"Published for {found.nodes} x {group.type.name}: busbw of {figures}."
    yield "It is a reference, no limit: below three quarters of it, look for the cause."

"""The test of NCCL: its image, its command, and what others have measured with it."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.hyperpod import smoke
from clustergen.plan.model import NodeGroup

# As Kubernetes writes it; Enroot puts the registry apart.
IMAGE = smoke.IMAGE.removeprefix("docker://").replace("#", "/")
_NODES = 2
"""Of the test, for types without a published measurement to compare with."""


def runs(group: NodeGroup) -> bool:
    """Whether the test's image has programs for the nodes of a group."""
    return smoke.image_runs(group)


def nodes(group: NodeGroup, wanted: int | None = None) -> int:
    """Nodes of a test: ``wanted`` of a fixed group, few where Karpenter has to start them."""
    found = smoke.REFERENCES.get(group.type.name)
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
        *f"-b 8 -e {smoke.largest_gib(group)}G -f 2 -g 1 -c 1 -n 100".split(),
    ]


def reference(group: NodeGroup) -> Iterator[str]:
    """What others have measured, as lines of a comment; nothing where nothing is known."""
    if published := smoke.reference(group.type.name):
        yield published

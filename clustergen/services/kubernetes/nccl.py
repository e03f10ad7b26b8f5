"""NCCL's test as a job: number of nodes and command."""

from clustergen.plan.model import NodeGroup
from clustergen.services.nodes.nccl import FEW_NODES, environment, largest_gib, measurement, tested


def nodes(group: NodeGroup) -> int:
    """Nodes of the test: as in a published measurement, or few; at most those of the group."""
    found = measurement(group.type)
    return min(tested(group), found.nodes if found else FEW_NODES)


def command(group: NodeGroup) -> list[str]:
    """The command of the launcher."""
    variables = (f"{name}={value}" for name, value in environment(group).items())
    return [
        "/opt/amazon/openmpi/bin/mpirun",
        "--allow-run-as-root",
        *("-np", str(nodes(group) * group.type.gpus)),
        *("--bind-to", "none"),
        # MPI only starts the processes, and must leave EFA to NCCL.
        *("--mca", "pml", "^ucx"),
        *("--mca", "btl", "tcp,self"),
        *("--mca", "btl_tcp_if_exclude", "lo,docker0"),
        *("-x", "PATH"),
        *("-x", "LD_LIBRARY_PATH"),
        *(word for variable in variables for word in ("-x", variable)),
        "/opt/nccl-tests/build/all_reduce_perf",
        *f"-b 8 -e {largest_gib(group)}G -f 2 -g 1 -c 1 -n 100".split(),
    ]

"""Slurm: nodes, jobs, the controller."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Row, graph
from clustergen.monitoring.sources import Source

GPUS = frozenset({Source.SLURM_GPUS, Source.GPU})


def _states(of: str, *states: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"max(slurm_{of}_{state}{{$scope}})", state.replace("_", " ")) for state in states
    )


BOARD = Board(
    "clustergen-slurm",
    "Slurm",
    (
        Row(
            "Nodes",
            (
                graph(
                    "Nodes by state",
                    "short",
                    *_states("nodes", "alloc", "mixed", "idle", "down", "noresp"),
                    *_states("nodes", "drained", "draining", "powered_down"),
                    help="A node that is powered down or drained counts as idle too.",
                ),
                graph(
                    "GPUs: given to jobs",
                    "percentunit",
                    (
                        "sum(slurm_node_gpus_alloc{$scope}) / sum(slurm_node_gpus{$scope})",
                        "share",
                    ),
                    needs=GPUS,
                ),
                graph(
                    "GPUs: given to jobs, and at work",
                    "short",
                    ("sum(slurm_node_gpus_alloc{$scope})", "given to jobs"),
                    ("sum(DCGM_FI_PROF_SM_ACTIVE{$scope})", "at work"),
                    help="What lies between the lines is waiting: for data, the network, or a bug.",
                    needs=GPUS,
                ),
            ),
        ),
        Row(
            "Jobs",
            (
                graph("Jobs", "short", *_states("jobs", "running", "pending")),
                graph(
                    "Jobs that did not complete",
                    "short",
                    *_states("jobs", "failed", "node_failed", "timeout", "preempted"),
                    *_states("jobs", "outofmemory"),
                    help="Those that slurmctld still remembers, see MinJobAge.",
                ),
                graph(
                    "Jobs by partition",
                    "short",
                    ("max by (partition) (slurm_partition_jobs{$scope})", "{{partition}}"),
                ),
            ),
        ),
        Row(
            "Controller",
            (
                graph(
                    "Records that wait for slurmdbd",
                    "short",
                    ("max(slurm_slurmdbd_queue_size{$scope})", "records"),
                    needs=frozenset({Source.ACCOUNTING}),
                ),
                graph(
                    "Messages that wait for nodes",
                    "short",
                    ("max(slurm_agent_queue_size{$scope})", "messages"),
                ),
            ),
        ),
    ),
    needs=frozenset({Source.SLURM}),
)

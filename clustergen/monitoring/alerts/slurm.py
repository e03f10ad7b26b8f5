"""Slurm, by the metrics of slurmctld: https://slurm.schedmd.com/metrics.html

Several nodes may send the same numbers of one controller: of these, the largest counts.
"""

from __future__ import annotations

from clustergen.monitoring.alert import LESS_UNDUE, UNLESS_ENDING, Alarm, Alert, RuleGroup
from clustergen.monitoring.sources import Source

SLURM = frozenset({Source.SLURM})
_PENDING = "max by (cluster) (slurm_jobs_pending{$scope}) > 0"
# A node that is powered down, or drained without a job, counts as idle too.
_IDLE_NODES = (
    "max by (cluster) (slurm_nodes_idle{$scope})\n"
    "  - max by (cluster) (slurm_nodes_powered_down{$scope})\n"
    "  - max by (cluster) (slurm_nodes_drained{$scope}) > 0"
)
_NOT_DUE = (
    "As many nodes as belong to reservations that have not begun, or have ended, do not count."
)

_WAITS = (
    "`squeue -t PD -o '%i %P %r'` shows the reason of each",
    "with `Reserved`, the capacity ends before the job's time limit would: it needs no repair, and "
    "starts with a shorter `--time`. On the last day of a Capacity Block or training plan, this "
    "alert is silent",
)

_NODES = (
    Alert(
        "SlurmNodesDown",
        "page",
        "replace",
        "max by (cluster) (slurm_nodes_down{$scope} + slurm_nodes_fail{$scope})"
        f"{LESS_UNDUE} > 0",
        "{{ $value }} node(s) of {{ $labels.cluster }} are down",
        f"slurmctld gave up on nodes: slurmd does not answer, or a health check failed. {_NOT_DUE}",
        ("`sinfo -R` names them with the reason",),
        after="5m",
        needs=SLURM,
        alarm=Alarm("slurm_nodes_down", ">", 0, less_undue=True),
    ),
    Alert(
        "SlurmNodesNotResponding",
        "ticket",
        "watch",
        f"max by (cluster) (slurm_nodes_noresp{{$scope}}){LESS_UNDUE} > 0",
        "{{ $value }} node(s) of {{ $labels.cluster }} do not answer slurmctld",
        f"Nodes do not answer slurmctld; after SlurmdTimeout they are down. {_NOT_DUE}",
        ("`sinfo -o '%N %T'` marks them with an asterisk",),
        after="10m",
        needs=SLURM,
        alarm=Alarm("slurm_nodes_noresp", ">", 0, less_undue=True),
    ),
    Alert(
        "SlurmNodesDrained",
        "ticket",
        "replace",
        "max by (cluster) (slurm_nodes_drained{$scope}) > 0",
        "{{ $value }} node(s) of {{ $labels.cluster }} have been drained for half an hour",
        "Nodes run no jobs until someone repairs or resumes them, and are paid for.",
        ("`sinfo -R` names them with the reason",),
        after="30m",
        needs=SLURM,
        alarm=Alarm("slurm_nodes_drained", ">", 0),
    ),
)
_JOBS = (
    Alert(
        "SlurmJobsWaitBesideIdleGpus",
        "ticket",
        "watch",
        f"{_PENDING}\n"
        "and on (cluster) (\n"
        "  sum by (cluster) (slurm_node_gpus{$scope})\n"
        "  - sum by (cluster) (slurm_node_gpus_alloc{$scope})\n"
        ") / sum by (cluster) (slurm_node_gpus{$scope}) > 0.25\n"
        f"and on (cluster) {_IDLE_NODES}{UNLESS_ENDING}",
        "Jobs of {{ $labels.cluster }} wait while a quarter of its GPUs is idle",
        "Jobs are pending although GPUs are free: they ask for what no idle node has.",
        _WAITS,
        after="30m",
        needs=frozenset({Source.SLURM, Source.SLURM_GPUS, Source.GPU}),
    ),
    Alert(
        "SlurmJobsWaitBesideIdleNodes",
        "ticket",
        "watch",
        f"{_PENDING}\nand on (cluster) {_IDLE_NODES}{UNLESS_ENDING}",
        "Jobs of {{ $labels.cluster }} wait while nodes are idle",
        "Jobs are pending although nodes are idle: they ask for what no idle node has.",
        _WAITS,
        after="30m",
        needs=SLURM,
        without=frozenset({Source.SLURM_GPUS}),
    ),
    # A gauge: the failed jobs that slurmctld still remembers.
    Alert(
        "SlurmJobsLostNodes",
        "ticket",
        "job",
        "max by (cluster) (delta(slurm_jobs_node_failed{$scope}[30m])) > 0",
        "Jobs of {{ $labels.cluster }} ended because a node failed",
        "A node failed while jobs ran on it. With `--requeue` they are queued again.",
        (
            "`squeue --all --states=NODE_FAIL -o '%i %u %N'` names them for some minutes",
            "later, with accounting: `sacct --allusers --state=NODE_FAIL "
            "--starttime=now-1hours --format=jobid,user,nodelist,end`",
            "without accounting, the log of slurmctld has them: see Where logs are in this "
            "bundle's README",
        ),
        needs=SLURM,
    ),
)
_CONTROLLER = (
    Alert(
        "SlurmDatabaseQueue",
        "ticket",
        "watch",
        "max by (cluster) (slurm_slurmdbd_queue_size{$scope}) > 1000",
        "slurmctld keeps {{ $value }} records for slurmdbd",
        "slurmdbd or its database does not answer. At MaxDBDMsgs records, slurmctld loses them.",
        ("`sacctmgr show cluster`", "`sdiag` prints the DBD Agent queue size"),
        after="10m",
        needs=frozenset({Source.SLURM, Source.ACCOUNTING}),
    ),
    Alert(
        "SlurmControllerAbsent",
        "page",
        "watch",
        "absent(slurm_nodes{$scope})",
        "slurmctld of {{ $labels.cluster }} reports no metrics",
        "slurmctld does not answer, or not with metrics: no job starts, or nobody would know.",
        ("`scontrol ping`",),
        after="10m",
        needs=SLURM,
    ),
)

GROUP = RuleGroup("slurm", "60s", (*_NODES, *_JOBS, *_CONTROLLER))

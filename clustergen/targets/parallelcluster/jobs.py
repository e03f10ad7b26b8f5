"""Batch jobs and checks of a ParallelCluster cluster, and what they need to know of its Slurm."""

from __future__ import annotations

from clustergen.artifacts import Bundle
from clustergen.aws import mounts
from clustergen.plan.model import Bucket, NodeGroup, Plan, Queue
from clustergen.slurm import jobs, smoke, verify


def files(plan: Plan) -> Bundle:
    """``verify.sh``, ``smoke/`` and ``jobs/``."""
    shared = [item.mount for item in mounts.sort(plan.storage) if not isinstance(item, Bucket)]
    # ParallelCluster's images have EFA and Open MPI, and neither NCCL nor its tests.
    cluster = jobs.Cluster(shared, gpus=True, nccl_tests=False, selecting=_constraint)
    return (
        verify.artifact(plan, shared=shared, slurm_folder="/opt/slurm"),
        *smoke.files(plan, cluster),
        *jobs.files(plan, cluster),
    )


def _constraint(group: NodeGroup, _queue: Queue) -> list[str]:
    """The name of a compute resource is a feature of its nodes."""
    return [f"--constraint={group.name}"]

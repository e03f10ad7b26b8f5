"""Batch jobs and checks of a ParallelCluster cluster."""

from clustergen.base.artifacts import Bundle
from clustergen.plan.model import Bucket, NodeGroup, Plan, Queue
from clustergen.services.aws import mounts
from clustergen.services.slurm import jobs, smoke, verify
from clustergen.targets.parallelcluster import actions


def files(plan: Plan) -> Bundle:
    """``verify.sh``, ``smoke/`` and ``jobs/``."""
    shared = [item.mount for item in mounts.sort(plan.storage) if not isinstance(item, Bucket)]
    # ParallelCluster images have EFA and Open MPI, but neither NCCL nor its tests.
    cluster = jobs.Cluster(
        shared, gpus=True, imex=actions.has_hook(plan), nccl_tests=False, selecting=_constraint
    )
    return (
        verify.artifact(plan, shared=shared, slurm_folder="/opt/slurm"),
        *smoke.files(plan, cluster),
        *jobs.files(plan, cluster),
    )


def _constraint(group: NodeGroup, _queue: Queue) -> list[str]:
    """The option that selects nodes: the name of their compute resource is a Slurm feature."""
    return [f"--constraint={group.resource_name}"]

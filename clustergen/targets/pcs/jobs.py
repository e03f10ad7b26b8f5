"""Batch jobs and checks of a PCS cluster."""

from clustergen.base.artifacts import Bundle
from clustergen.plan.model import Bucket, NodeGroup, Plan, Queue
from clustergen.services.aws import mounts
from clustergen.services.slurm import jobs, smoke, verify
from clustergen.targets.pcs import settings


def files(plan: Plan) -> Bundle:
    """``verify.sh``, ``smoke/`` and ``jobs/``."""
    shared = [item.mount for item in mounts.sort(plan.storage) if not isinstance(item, Bucket)]
    # PCS writes the GRES record of a GPU type itself.
    cluster = jobs.Cluster(shared, gpus=True, imex=settings.has_imex(plan), selecting=_constraint)
    folder = f"/opt/aws/pcs/scheduler/slurm-{settings.version(plan)}"
    return (
        verify.artifact(plan, shared=shared, slurm_folder=folder),
        *smoke.files(plan, cluster),
        *jobs.files(plan, cluster),
    )


def _constraint(group: NodeGroup, _queue: Queue) -> list[str]:
    """The option that selects nodes by a feature that they have in a queue with several groups."""
    return [f"--constraint={group.name}"]

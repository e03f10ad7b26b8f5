"""Batch jobs and checks of a PCS cluster."""

from __future__ import annotations

from clustergen.base.artifacts import Bundle
from clustergen.plan.model import Bucket, NodeGroup, Plan, Queue
from clustergen.services.aws import mounts
from clustergen.services.slurm import jobs, smoke, verify
from clustergen.targets.pcs import settings


def files(plan: Plan) -> Bundle:
    """``verify.sh``, ``smoke/`` and ``jobs/``."""
    shared = [item.mount for item in mounts.sort(plan.storage) if not isinstance(item, Bucket)]
    # PCS writes the GRES record of a GPU type itself.
    cluster = jobs.Cluster(
        shared, gpus=True, imex=settings.has_imex(plan), selecting=_without_others
    )
    folder = f"/opt/aws/pcs/scheduler/slurm-{settings.version(plan)}"
    return (
        verify.artifact(plan, shared=shared, slurm_folder=folder),
        *smoke.files(plan, cluster),
        *jobs.files(plan, cluster),
    )


def _without_others(group: NodeGroup, queue: Queue) -> list[str]:
    """The option that excludes nodes of other groups; nodes are GROUP-1, GROUP-2, ...

    https://docs.aws.amazon.com/pcs/latest/userguide/getting-started_run-job.html
    """
    others = [f"{other.name}-[1-{other.max}]" for other in queue.node_groups if other != group]
    return [f"--exclude={','.join(others)}"]

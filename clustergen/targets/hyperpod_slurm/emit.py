"""The bundle of a HyperPod cluster with Slurm."""

from __future__ import annotations

from typing import Any

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.model import OfTarget, Service
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import mounts
from clustergen.services.hyperpod import deploy
from clustergen.services.slurm import jobs, smoke, tables
from clustergen.services.slurm.jobs import Cluster
from clustergen.targets.hyperpod_slurm import cluster, followed, lifecycle
from clustergen.targets.hyperpod_slurm.readme import values

__all__ = ["deployment", "document", "emit", "values"]


def document(plan: Plan) -> dict[str, Any]:
    """The CreateCluster request, with placeholders for outputs of the foundation."""
    return cluster.request(plan)


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files of the cluster; ``document`` is its request with the user's overlay."""
    scripts = lifecycle.files(plan)
    read = followed.files(plan)
    values = tables.values(plan, read)
    shared = [item.mount for item in mounts.writable(plan)]
    slurm = Cluster(shared, auto_resume=plan.resilience.auto_resume)
    return (
        *deploy.requests(plan, document, foundation.outputs(plan)),
        *scripts,
        *read,
        *deploy.files(plan, document, scripts, **values),
        *smoke.files(plan, slurm),
        *jobs.files(plan, slurm),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:  # noqa: ARG001
    """What ``bundle.json`` says of the target."""
    return OfTarget(Service("hyperpod"), script=False)

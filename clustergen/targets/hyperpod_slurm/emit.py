"""The bundle of a HyperPod cluster with Slurm."""

from typing import Any

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.model import OfTarget
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.services import foundation, schedules
from clustergen.services.aws import mounts
from clustergen.services.hyperpod import deploy
from clustergen.services.slurm import jobs, smoke, tables
from clustergen.services.slurm.jobs import Cluster
from clustergen.targets.hyperpod_slurm import cluster, lifecycle
from clustergen.targets.hyperpod_slurm.readme import values

__all__ = ["deployment", "document", "emit", "values"]


def document(plan: Plan) -> dict[str, Any]:
    """The CreateCluster request, with placeholders for outputs of the foundation."""
    return cluster.request(plan)


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files except those of the foundation and README.md; ``document`` includes the overlay."""
    scripts = lifecycle.files(plan)
    shared = [item.mount for item in mounts.writable(plan)]
    slurm = Cluster(shared, auto_resume=plan.resilience.auto_resume)
    return (
        *deploy.requests(plan, document, foundation.outputs(plan)),
        *scripts,
        *lifecycle.followed(plan),
        *deploy.updates(plan, document, scripts),
        *smoke.files(plan, slurm),
        *jobs.files(plan, slurm),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    return OfTarget(
        deploy.service(plan, document, lifecycle.files(plan)),
        tables=tables.described(plan, lifecycle.followed(plan)),
        periods=schedules.periods(timetable.phases(plan)),
    )

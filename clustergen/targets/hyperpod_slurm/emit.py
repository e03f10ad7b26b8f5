"""The bundle of a HyperPod cluster with Slurm."""

from typing import Any

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.model import OfTarget
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.services import foundation, schedules
from clustergen.services.hyperpod import deploy, limits, steps
from clustergen.services.monitoring import stack
from clustergen.services.slurm import jobs, readme, smoke, tables
from clustergen.services.slurm.jobs import Cluster
from clustergen.targets.hyperpod_slurm import cluster, lifecycle, modes

document = cluster.request
"""The CreateCluster request, with placeholders for outputs of the foundation."""


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files except those of the foundation and README.md; ``document`` includes the overlay."""
    scripts = lifecycle.files(plan)
    slurm = Cluster(auto_resume=plan.resilience.auto_resume)
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


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/hyperpod/readme-slurm.md.j2``."""
    config = lifecycle.config(plan) or {}
    slurm_of_service = (cluster.orchestrator(plan) or {}).get("Slurm", {})
    return {
        **readme.values(plan),
        "continuous": modes.continuous(plan),
        "controller_fails": _controller_fails(plan),
        "database_of_service": plan.creates_cluster and "AccountingDatabase" in slurm_of_service,
        "entry": config.get("OnInitComplete") or config.get("OnCreate"),
        "group_to_log_in": _group_to_log_in(plan),
        "groups": [group.name for group in plan.node_groups],
        "has_scripts": bool(lifecycle.files(plan)),
        "lifecycle": config,
        "monitoring_stack": stack.path(plan),
        "tables": {each.path: tables.key(plan, each.path) for each in lifecycle.followed(plan)},
        "several_controllers": bool(steps.shared_by_controllers(plan)),
        "universal_partition": limits.UNIVERSAL_PARTITION,
    }


def _controller_fails(plan: Plan) -> bool:
    """Whether the scripts of the controller have a step whose failure is that of the cluster."""
    machine, *_ = steps.instance_groups(plan, modes.mode(plan))
    return plan.head is not None and any(step.kind == "required" for step in machine.steps)


def _group_to_log_in(plan: Plan) -> str:
    options = modes.options(plan)
    if plan.login:
        return options.login_group
    return options.controller_group if plan.head else plan.node_groups[0].name

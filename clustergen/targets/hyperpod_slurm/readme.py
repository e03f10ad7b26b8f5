"""The values of the page about HyperPod with Slurm in the README."""

from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits, steps
from clustergen.services.monitoring import stack
from clustergen.services.slurm import readme as slurm
from clustergen.services.slurm import tables
from clustergen.targets.hyperpod_slurm import cluster, lifecycle, modes


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/hyperpod/readme-slurm.md.j2``."""
    config = lifecycle.config(plan) or {}
    slurm_of_service = (cluster.orchestrator(plan) or {}).get("Slurm", {})
    return {
        **slurm.values(plan),
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

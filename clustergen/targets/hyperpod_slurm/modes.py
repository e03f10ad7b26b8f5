"""Modes of a cluster: who sets up Slurm, and how nodes are provisioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustergen.hyperpod.limits import GUIDE
from clustergen.hyperpod.service_mounts import mounted_everywhere
from clustergen.plan.model import Plan, Queue
from clustergen.slurm import accounts
from clustergen.targets.hyperpod_slurm.options import Options

if TYPE_CHECKING:
    from clustergen.hyperpod.steps import Mode

PROVISIONING = ("targets", "hyperpod-slurm", "provisioning")
MIGRATION = f"{GUIDE}sagemaker-hyperpod-slurm-api-config-migration.html"


def options(plan: Plan) -> Options:
    """The target's own section of the spec."""
    return plan.options_as(Options)


def mode(plan: Plan) -> Mode:
    """Who sets up Slurm."""
    asked = options(plan).mode
    if asked != "api":
        return asked
    return "extended" if needs_scripts(plan) else "bootstrap"


def by_service(plan: Plan) -> bool:
    """Whether HyperPod sets up Slurm, and not the lifecycle scripts."""
    return mode(plan) in ("bootstrap", "extended")


def continuous(plan: Plan) -> bool:
    """Whether nodes join as they come: the default, except with mode: legacy."""
    chosen = options(plan).provisioning == "continuous"
    if options(plan).mode == "legacy":
        return chosen and plan.wrote(*PROVISIONING)
    return chosen


def needs_scripts(plan: Plan) -> bool:
    """Whether the spec asks for what HyperPod's own set-up of a node does not do."""
    return bool(
        plan.users
        or plan.software.scripts
        or plan.slurm.settings
        or plan.slurm.cgroup_settings
        or accounts.needed(plan)
        or plan.monitoring.metrics != "none"
        or any(group.scratch for group in plan.node_groups)
        or any(_has_settings(plan, queue) for queue in plan.queues)
        # What the service does not mount, or not on all nodes.
        or len(mounted_everywhere(plan)) < len(plan.storage)
    )


def _has_settings(plan: Plan, queue: Queue) -> bool:
    chosen = queue.default and len(plan.queues) > 1 and plan.wrote(*queue.at("default"))
    settings = queue.slurm or queue.time_limit or queue.exclusive
    return bool(settings or chosen or queue.priority is not None)

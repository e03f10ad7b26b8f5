"""Modes: what sets up Slurm, and how nodes are provisioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustergen.plan.model import Plan, Queue
from clustergen.services.aws import mounts
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.limits import GUIDE
from clustergen.services.hyperpod.service_mounts import mounted_everywhere
from clustergen.services.slurm import accounts, timetable
from clustergen.targets.hyperpod_slurm.options import Options

if TYPE_CHECKING:
    from clustergen.services.hyperpod.steps import Mode

PROVISIONING = ("targets", "hyperpod-slurm", "provisioning")
MIGRATION = f"{GUIDE}sagemaker-hyperpod-slurm-api-config-migration.html"


def options(plan: Plan) -> Options:
    """The target's own section of the spec."""
    return plan.options_as(Options)


def mode(plan: Plan) -> Mode:
    """What sets up Slurm: HyperPod or scripts."""
    written = options(plan).mode
    if written != "api":
        return written
    own = options(plan).lifecycle
    return "extended" if own or needs_scripts(plan) else "bootstrap"


def by_service(plan: Plan) -> bool:
    """Whether HyperPod sets up Slurm, instead of lifecycle scripts."""
    return mode(plan) in ("bootstrap", "extended")


def continuous(plan: Plan) -> bool:
    """Whether provisioning is continuous: the default, except with mode: legacy."""
    chosen = options(plan).provisioning == "continuous"
    if options(plan).mode == "legacy":
        return chosen and plan.wrote(*PROVISIONING)
    return chosen


def needs_scripts(plan: Plan) -> bool:
    """Whether the spec needs more than HyperPod's node set-up does."""
    return bool(
        plan.users
        or plan.software.scripts
        or plan.monitoring.of_nodes
        or any(group.scratch for group in plan.node_groups)
        or (plan.head and _needs_settings(plan))
        # Storage that the service does not mount, or not on all nodes, or that users cannot use.
        or len(mounted_everywhere(plan)) < len(plan.storage)
        or any(mounts.needs_preparation(item) for item in mounts.mounted(plan))
    )


def _needs_settings(plan: Plan) -> bool:
    """Whether the spec needs what only scripts on the controller do."""
    return bool(
        plan.slurm.settings
        or plan.slurm.cgroup_settings
        or accounts.needed(plan)
        or timetable.wanted(plan)
        or any(_has_settings(queue) for queue in plan.queues)
        or _has_default(plan)
    )


def _has_settings(queue: Queue) -> bool:
    settings = queue.slurm or queue.time_limit or queue.exclusive
    return bool(settings or queue.priority is not None)


def _has_default(plan: Plan) -> bool:
    """Whether jobs without a partition would get other nodes than those of the default queue.

    HyperPod's own partition is the default one. It has all nodes, login nodes included.
    """
    return any(
        plan.login or len(queue.node_groups) < len(plan.node_groups)
        for queue in plan.queues
        if queue.default and queue.name != limits.UNIVERSAL_PARTITION
    )

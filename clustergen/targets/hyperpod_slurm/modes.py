"""Who sets up Slurm, and so which scripts run when.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-slurm-api-config-migration.html
"""

from __future__ import annotations

from typing import Literal

from clustergen.hyperpod import storage
from clustergen.plan.model import Bucket, Efs, Ontap, Plan
from clustergen.spec.targets import HyperPodSlurm

Mode = Literal["bootstrap", "extended", "customer-managed", "legacy"]
"""The first two are the API's: HyperPod sets up Slurm, and our script follows or is not needed."""

PROVISIONING = ("targets", "hyperpod-slurm", "provisioning")


def options(plan: Plan) -> HyperPodSlurm:
    """The target's own section of the spec."""
    assert isinstance(plan.options, HyperPodSlurm)
    return plan.options


def mode(plan: Plan) -> Mode:
    """The form that the cluster takes."""
    asked = options(plan).mode
    if asked != "api":
        return asked
    return "extended" if needs_scripts(plan) else "bootstrap"


def continuous(plan: Plan) -> bool:
    """Whether nodes join as they come: the default, but for the old form, which has it not."""
    chosen = options(plan).provisioning == "continuous"
    if options(plan).mode == "legacy":
        return chosen and plan.wrote(*PROVISIONING)
    return chosen


def needs_scripts(plan: Plan) -> bool:
    """Whether the spec asks for what HyperPod's own set-up of a node does not do."""
    slurm = plan.slurm
    return bool(
        plan.users
        or plan.software.scripts
        or slurm.accounting != "off"
        or slurm.settings
        or slurm.cgroup_settings
        or slurm.slurmdbd_settings
        or plan.monitoring.metrics != "none"
        or any(group.slurm or group.labels or group.scratch for group in plan.node_groups)
        or any(_has_settings(queue) for queue in plan.queues)
        or any(isinstance(item, Efs | Ontap | Bucket) for item in plan.storage)
        or len(storage.by_service(plan)) < len(plan.storage)
    )


def _has_settings(queue: object) -> bool:
    fields = ("slurm", "time_limit", "exclusive")
    return any(getattr(queue, field) for field in fields) or getattr(queue, "priority") is not None

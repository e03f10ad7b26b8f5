"""The Slurm settings of a cluster, its queues and its node groups, as PCS takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.spec.quantities import format_slurm_duration
from clustergen.targets.pcs import limits

Settings = dict[str, str]

QUEUE_FIELDS: Mapping[str, str] = {
    "Default": "default",
    "MaxTime": "time_limit",
    "PriorityTier": "priority",
    "PriorityJobFactor": "priority",
    "OverSubscribe": "exclusive",
}
"""Queue settings that a field of the language writes; the field decides."""


def version(plan: Plan) -> str:
    """The Slurm version of the cluster."""
    return plan.slurm.version or limits.DEFAULT_SLURM_VERSION


def since(version: str, minimum: str) -> bool:
    """Whether ``version`` is at least ``minimum``; both have the form YY.MM, so text compares."""
    return version >= minimum


def of_cluster(plan: Plan) -> Settings:
    """The user's slurm.conf settings, and those that follow from the rest of the spec."""
    return merged(_derived(plan), plan.slurm.settings)


def of_queue(queue: Queue) -> Settings:
    """Partition settings: the language's fields in Slurm's words, then the user's own."""
    return merged(of_queue_fields(queue), queue.slurm)


def of_group(group: NodeGroup) -> Settings:
    """Node settings: labels as features, MIG partitions as resources, then the user's own."""
    given = {name: value for name, value in group.slurm.items() if name.lower() != "features"}
    return merged(_node(group), given)


def gres_records(group: NodeGroup) -> list[Settings]:
    """gres.conf records; MIG devices exist only on a booted node, so Slurm has to look for them.

    Without MIG there are none: PCS writes the record of a GPU type by itself.
    https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html
    """
    return [{"AutoDetect": "nvml"}] if group.mig else []


def as_parameters(settings: Mapping[str, str]) -> list[dict[str, Any]]:
    """Settings in the form of the API: a list of name and value."""
    return [{"ParameterName": name, "ParameterValue": value} for name, value in settings.items()]


def merged(derived: Mapping[str, str], given: Mapping[str, str]) -> Settings:
    """``given`` over ``derived``; to Slurm, names that differ in case only are the same."""
    said = {name.lower() for name in given}
    return {**{n: v for n, v in derived.items() if n.lower() not in said}, **given}


def _derived(plan: Plan) -> Settings:
    settings: Settings = {}
    if plan.resilience.auto_resume:
        settings["JobRequeue"] = "1"
    if plan.monitoring.metrics == "managed-prometheus":
        # https://docs.aws.amazon.com/pcs/latest/userguide/slurm-metrics.html
        settings["MetricsType"] = "metrics/openmetrics"
        settings["CommunicationParameters"] = "enable_http"
    return settings


def of_queue_fields(queue: Queue) -> Settings:
    """What the language's own fields of a queue say."""
    settings: Settings = {}
    if queue.default:
        settings["Default"] = "YES"
    if queue.time_limit is not None:
        settings["MaxTime"] = format_slurm_duration(queue.time_limit)
    if queue.priority is not None:
        settings["PriorityTier"] = settings["PriorityJobFactor"] = str(queue.priority)
    if queue.exclusive:
        settings["OverSubscribe"] = "EXCLUSIVE"
    return settings


def _node(group: NodeGroup) -> Settings:
    settings: Settings = {}
    own = [value for name, value in group.slurm.items() if name.lower() == "features"]
    if features := [*(feature(*label) for label in group.labels.items()), *own]:
        settings["Features"] = ",".join(features)
    if group.mig:
        gpus = group.type.gpus
        settings["Gres"] = ",".join(f"gpu:{name}:{n * gpus}" for name, n in group.mig.items())
    return settings


def feature(key: str, value: str) -> str:
    """A label as a Slurm feature, which is one word."""
    return f"{key}={value}" if value else key

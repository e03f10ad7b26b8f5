"""Settings of slurm.conf that follow from the spec, for every target that writes them itself."""

from __future__ import annotations

from collections.abc import Mapping

from clustergen.plan.model import Plan, Queue
from clustergen.spec.quantities import format_slurm_duration

Settings = dict[str, str]


def merge(derived: Mapping[str, str], given: Mapping[str, str]) -> Settings:
    """``given`` over ``derived``; to Slurm, names that differ in case only are the same."""
    taken = {name.lower() for name in given}
    return {**{n: v for n, v in derived.items() if n.lower() not in taken}, **given}


def cluster(plan: Plan) -> Settings:
    """Settings of the whole cluster, without the user's own."""
    return {"JobRequeue": "1"} if plan.resilience.auto_resume else {}


def partition(queue: Queue) -> Settings:
    """Settings of a queue's partition, without the user's own and without ``Default``."""
    settings: Settings = {}
    if queue.time_limit is not None:
        settings["MaxTime"] = format_slurm_duration(queue.time_limit)
    if queue.priority is not None:
        settings["PriorityTier"] = settings["PriorityJobFactor"] = str(queue.priority)
    if queue.exclusive:
        settings["OverSubscribe"] = "EXCLUSIVE"
    return settings

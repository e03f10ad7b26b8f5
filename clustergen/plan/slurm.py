"""slurm.conf settings derived from the spec, for targets that write them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clustergen.base.findings import Path
from clustergen.facts.catalog import slurm_values
from clustergen.facts.catalog.slurm import Scope, find, same
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.spec.quantities import format_slurm_duration

Settings = dict[str, str]

QUEUE_FIELDS: Mapping[str, str] = {
    "default": "default",
    "maxtime": "time_limit",
    "prioritytier": "priority",
    "priorityjobfactor": "priority",
    "oversubscribe": "exclusive",
}
"""Partition settings that fields of a queue determine, by lower-case name."""


class Setting(NamedTuple):
    """A setting that the user writes."""

    path: Path
    scope: Scope
    name: str
    value: str

    @property
    def key(self) -> str:
        """A text that is equal for all spellings of the name."""
        return same(self.scope, self.name)


def written(plan: Plan) -> Iterator[Setting]:
    """All settings of the spec."""
    sections: list[tuple[Path, Scope, Mapping[str, str]]] = [
        (("slurm", "settings"), "cluster", plan.slurm.settings),
        (("slurm", "slurmdbd_settings"), "slurmdbd", plan.slurm.slurmdbd_settings),
        (("slurm", "cgroup_settings"), "cgroup", plan.slurm.cgroup_settings),
        *((group.at("slurm"), "node", group.slurm) for group in plan.node_groups if group.slurm),
        *((queue.at("slurm"), "partition", queue.slurm) for queue in plan.queues if queue.slurm),
    ]
    for path, scope, given in sections:
        for name, value in given.items():
            yield Setting((*path, name), scope, name, value)


def merge(scope: Scope, derived: Mapping[str, str], given: Mapping[str, str]) -> Settings:
    """``derived`` overridden by ``given``; names are compared like Slurm does, with aliases and
    without case."""
    taken = {same(scope, name) for name in given}
    return {**{n: v for n, v in derived.items() if same(scope, n) not in taken}, **given}


def quoted(value: str) -> str:
    """A value for slurm.conf, quoted if it contains blanks."""
    return f'"{value}"' if " " in value and not value.startswith('"') else value


def with_flags(settings: Mapping[str, str], kept: Mapping[str, str]) -> Settings:
    """``settings``, in which keys of ``kept`` also have the flag of the service.

    Writing a key again replaces the value in the service's slurm.conf.
    """
    flags = {same("cluster", name): flag for name, flag in kept.items()}
    return {
        name: _with(value, flags.get(same("cluster", name))) for name, value in settings.items()
    }


def _with(value: str, flag: str | None) -> str:
    if not flag or flag.lower() in value.lower().split(","):
        return value
    return f"{value},{flag}" if value else flag


def cluster_settings(plan: Plan, derived: Mapping[str, str]) -> Settings:
    """``derived`` overridden by the user's settings, with the flags that the service needs."""
    limits = plan.limits.slurm_settings
    settings = merge("cluster", derived, plan.slurm.settings)
    return with_flags(settings, limits.kept if limits else {})


def cluster(plan: Plan) -> Settings:
    """Derived settings of the cluster, without those that the user writes.

    Jobs that request more than their partition allows are rejected, and do not wait forever.
    """
    requeue = {"JobRequeue": "1"} if plan.resilience.auto_resume else {}
    return {"EnforcePartLimits": "ALL", **requeue}


def partition(queue: Queue) -> Settings:
    """Derived settings of a partition, without ``Default`` and those that the user writes."""
    settings: Settings = {}
    if queue.time_limit is not None:
        settings["MaxTime"] = format_slurm_duration(queue.time_limit)
    if queue.priority is not None:
        settings["PriorityTier"] = settings["PriorityJobFactor"] = str(queue.priority)
    if queue.exclusive:
        settings["OverSubscribe"] = "EXCLUSIVE"
    return settings


def time(queue: Queue, name: str) -> int | None:
    """A time of a partition in seconds; None if it is unlimited or invalid."""
    value = _time(queue, name)
    return slurm_values.seconds(value) if value and not _unreadable(name, value) else None


def _time(queue: Queue, name: str) -> str:
    settings = merge("partition", partition(queue), queue.slurm)
    return next((v for n, v in settings.items() if n.lower() == name), "")


def _unreadable(name: str, value: str) -> bool:
    key = find("partition", name)
    return key is None or bool(slurm_values.wrong(key, value))


def unreadable_limit(queue: Queue) -> bool:
    """Whether a queue has a time that Slurm cannot read."""
    times = ((name, _time(queue, name)) for name in ("maxtime", "defaulttime"))
    return any(value and _unreadable(name, value) for name, value in times)


def limit(queue: Queue) -> int | None:
    """How many seconds Slurm expects a job without --time to run; None if there is no limit."""
    default = time(queue, "defaulttime")
    return time(queue, "maxtime") if default is None else default


def limits(plan: Plan, group: NodeGroup) -> dict[str, int] | None:
    """:func:`limit` of each queue of a group, by name; None if one of them has none."""
    found = {each.name: limit(each) for each in plan.queues if group in each.node_groups}
    known = {name: seconds for name, seconds in found.items() if seconds is not None}
    return known if len(known) == len(found) else None

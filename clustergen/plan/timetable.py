"""When the capacity of a node group starts and ends, and what happens before it ends.

Jobs are asked to end, then nodes stop, and only then AWS terminates what still runs. The times are
data: who acts on them (a script, a schedule) is the target's choice.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from clustergen.facts.catalog import blocks, ultraservers
from clustergen.plan.model import NodeGroup, Plan, Scheduler
from clustergen.plan.slurm import limits
from clustergen.spec.quantities import format_duration

STOP_MINUTES: Final = 10
"""Before AWS begins to terminate instances. EC2 announces that at this time, and EKS stops the
nodes of a Capacity Block: https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
"""
CHECKPOINT_MINUTES: Final = 30
"""Before AWS begins to terminate instances."""
_LONGEST: Final = 366 * 86400
"""Seconds: a longer time limit of a queue counts as this."""
SETTLE_MINUTES: Final = 5
"""After the start, when instances can be expected to launch."""


class Timetable(NamedTuple):
    """The beginning and the end of a node group's capacity, in UTC."""

    group: NodeGroup
    window: timedelta
    """How long before the end AWS begins to terminate instances."""

    @property
    def starts(self) -> datetime | None:
        return self.group.capacity.starts

    @property
    def ends(self) -> datetime | None:
        return self.group.capacity.ends

    @property
    def launches(self) -> datetime | None:
        """When nodes are requested."""
        return self.starts + timedelta(minutes=SETTLE_MINUTES) if self.starts else None

    @property
    def checkpoint(self) -> datetime | None:
        """When jobs are asked to end: none that is expected to run longer starts."""
        return self._before(CHECKPOINT_MINUTES)

    @property
    def stops(self) -> datetime | None:
        """When nodes stop, and the jobs that still run."""
        return self._before(STOP_MINUTES)

    @property
    def terminates(self) -> datetime | None:
        """When AWS terminates what still runs."""
        return self._before(0)

    @property
    def usable(self) -> timedelta | None:
        """How long jobs can run; negative if the capacity ends before nodes are there."""
        if self.starts is None or self.stops is None:
            return None
        return self.stops - self.starts

    def _before(self, minutes: int) -> datetime | None:
        if self.ends is None:
            return None
        return self.ends - self.window - timedelta(minutes=minutes)


def timetable(plan: Plan, group: NodeGroup) -> Timetable | None:
    """The timetable of a group; None if the spec has no dates."""
    if not group.capacity.dated:
        return None
    return Timetable(group, timedelta(minutes=_window_minutes(plan, group)))


def timetables(plan: Plan) -> Iterator[Timetable]:
    """The timetables of all groups with dates."""
    return (found for group in plan.node_groups if (found := timetable(plan, group)))


Phase = tuple[str, datetime | None, datetime | None]
"""A group, when its nodes are requested, and when they stop."""


def acts(plan: Plan) -> bool:
    """Whether something acts on the times: the controller of others on HyperPod has no script."""
    return plan.creates_cluster or plan.scheduler != "slurm" or not plan.sagemaker


def phases(plan: Plan) -> Iterator[Phase]:
    """The phases of all groups with dates."""
    return ((each.group.name, each.launches, each.stops) for each in timetables(plan))


def arguments(phases: Iterable[Phase]) -> list[str]:
    """Three words for each phase, as ``shared/phase.sh.j2`` reads them."""
    each = ((group, seconds(launch), seconds(stop)) for group, launch, stop in phases)
    return [word for phase in each for word in phase]


def seconds(at: datetime | None) -> str:
    """Seconds since 1970; 0 if the time is unknown."""
    return str(int(at.timestamp())) if at else "0"


class Event(NamedTuple):
    """Something that happens to the nodes of a group; ``what`` is a clause."""

    at: datetime
    group: str
    what: str


def events(plan: Plan) -> list[Event]:
    """What happens to the groups with dates, in order."""
    return sorted(event for times in timetables(plan) for event in _events(plan, times))


_CHECKPOINT: Final[Mapping[Scheduler, str]] = {
    "slurm": "running jobs end with their nodes, after the signal of their --signal",
    "kubernetes": "no job starts; nodes are cordoned",
    "batch": "no job starts",
}
_STOP: Final[Mapping[Scheduler, str]] = {
    # Partitions of ParallelCluster become inactive, and nodes of PCS leave Slurm.
    "slurm": "nodes stop; jobs that may run again wait; queues of no other nodes reject new ones",
    "kubernetes": "nodes stop; pods were evicted 5 minutes before",
    "batch": "",
}


# Nothing can stop single nodes of HyperPod, so they run, and are paid for, until AWS ends them.
_HYPERPOD_STOP: Final[Mapping[Scheduler, str]] = {
    "slurm": "jobs that still run end, or wait in the queue if they may run again; nodes run on",
    "kubernetes": "pods were evicted 5 minutes before; nodes run on",
    "batch": "",
}


def _events(plan: Plan, times: Timetable) -> Iterator[Event]:
    name = times.group.name
    if times.starts:
        yield Event(times.starts, name, f"capacity starts; {_arrival(times.group)}")
    if not (times.checkpoint and times.stops and times.terminates and times.ends):
        return
    if acts(plan):
        yield from _acts(plan, times, times.checkpoint, times.stops)
    if times.window:
        yield Event(times.terminates, name, "AWS terminates what still runs")
    yield Event(times.ends, name, "capacity ends")


def _acts(plan: Plan, times: Timetable, checkpoint: datetime, stops: datetime) -> Iterator[Event]:
    """What is done before AWS ends the nodes."""
    name, ends = times.group.name, _CHECKPOINT[plan.scheduler]
    if plan.scheduler == "slurm":
        yield from _shorter_jobs(plan, times, stops)
        if limits(plan, times.group) is None:
            ends = f"no job starts; {ends}"
    yield Event(checkpoint, name, ends)
    if stop := (_HYPERPOD_STOP if plan.sagemaker else _STOP)[plan.scheduler]:
        yield Event(stops, name, stop)


# https://slurm.schedmd.com/reservations.html
def _shorter_jobs(plan: Plan, times: Timetable, stops: datetime) -> Iterator[Event]:
    """From when a job needs a --time: Slurm starts none that it expects to outlive its nodes."""
    for queue, limit in (limits(plan, times.group) or {}).items():
        at = stops - timedelta(seconds=min(limit, _LONGEST))
        what = f"jobs of {queue} start only with a --time that ends by {iso(stops)}"
        if times.starts is None or at > times.starts:
            what += f"; without one, they have {format_duration(limit)}"
        yield Event(max(at, times.starts or at), times.group.name, what)


# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-resiliency-deep-health-checks.html
def _arrival(group: NodeGroup) -> str:
    """When nodes take work; of the health checks, only one with GPUs of the node is quick."""
    if set(group.health_checks) - {"gpu"}:
        return "nodes follow, and take jobs after deep health checks of 60 to 90 minutes"
    return "nodes follow within minutes"


def _window_minutes(plan: Plan, group: NodeGroup) -> int:
    # Instances outlive an On-Demand Capacity Reservation:
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-concepts.html
    if group.capacity.kind == "reservation":
        return 0
    # https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html
    if plan.sagemaker or ultraservers.containing(group.type.name):
        return blocks.ULTRASERVER_END_MINUTES
    return blocks.END_MINUTES


def iso(at: datetime) -> str:
    """A time of a timetable in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")

"""When reserved capacity starts and ends.

Nothing here depends on a clock, so that a spec always has the same findings. ``deploy.sh`` says
what is over.
"""

from collections.abc import Iterator
from datetime import timedelta

from clustergen.base.findings import Problem, note, put, rule, unsafe, unwanted, warning
from clustergen.facts.catalog import blocks
from clustergen.plan import slurm
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.plan.timetable import Timetable, acts, iso, timetable, timetables
from clustergen.spec.quantities import format_duration, format_slurm_duration

_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_HOW = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html"
_SHOW = {
    "capacity-block": "aws ec2 describe-capacity-reservations",
    "training-plan": "aws sagemaker describe-training-plan",
}
_SOLD = tuple(_SHOW)
_UNDATED = {
    "interruptible-reservation": "its owner reclaims it at any time",
    "reservation-group": "its reservations end independently",
}


def _block(starts: str, ends: str, more: str = "") -> str:
    return (
        f"node_groups: [{{name: h200, count: 2{more}, capacity: {{capacity_block: "
        f'cr-0a1b2c3d4e5f67890, starts: "{starts}", ends: "{ends}"}}}}]'
    )


_GOOD = _block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z")


@rule(
    "CAP020",
    "Capacity ends before it starts",
    why="No node could ever run.",
    source=_HOW,
    bad=_block("2026-12-17T11:30:00Z", "2026-12-10T11:30:00Z"),
)
def order(plan: Plan) -> Iterator[Problem]:
    for times in timetables(plan):
        starts, ends = times.starts, times.ends
        if starts and ends and ends <= starts:
            at = times.group.at("capacity")
            yield Problem(
                (*at, "ends"),
                f"{times.group.name} ends at {iso(ends)}, and starts at {iso(starts)}",
                help="correct one of the two",
                fix=unsafe(put((*at, "starts"), iso(ends)), put((*at, "ends"), iso(starts))),
            )


@rule(
    "CAP021",
    "Dates of capacity that has none",
    why="Nodes would be stopped at a time that has nothing to do with their capacity.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/interruptible-capacity-reservations.html",
    bad="""node_groups:
  - name: h200
    capacity:
      {interruptible_reservation: cr-0a1b2c3d4e5f67890, ends: "2026-12-17T11:30:00Z"}""",
)
def undated(plan: Plan) -> Iterator[Problem]:
    for times in timetables(plan):
        kind, at = times.group.capacity.kind, times.group.at("capacity")
        reason = _UNDATED.get(kind)
        for name, value in (("starts", times.starts), ("ends", times.ends)):
            if reason and value:
                yield unwanted(
                    (*at, name),
                    f"an {kind} has no date: {reason}".replace("an res", "a res"),
                    help=f"remove {name}",
                )


@warning(
    "CAP022",
    "Length that AWS does not sell",
    why="A Capacity Block lasts 1 to 14 days, or a multiple of a week up to 182 days, and a "
    "training plan 1 to 182 days. Another length is a mistake in one of the dates, unless the "
    "block was extended.",
    source=_BLOCKS,
    bad=_block("2026-12-10T11:30:00Z", "2026-12-27T11:30:00Z"),
    good=_GOOD,
)
def length(plan: Plan) -> Iterator[Problem]:
    for times in _sold(plan):
        if not times.starts or not times.ends or times.ends <= times.starts:
            continue
        found = times.ends - times.starts
        if not blocks.is_sold(found, times.group.capacity.kind):
            yield Problem(
                times.group.at("capacity", "ends"),
                f"no {times.group.capacity.title} lasts {_words(found)}",
                help=f"compare both with {_SHOW[times.group.capacity.kind]}",
            )


@warning(
    "CAP023",
    "Too short to run jobs",
    why="Nodes stop 40 minutes before a Capacity Block ends, 70 minutes before an UltraServer or a "
    "training plan does, and need some minutes to start.",
    source=_HOW,
    bad=_block("2026-12-10T10:00:00Z", "2026-12-10T11:30:00Z"),
    good=_GOOD,
)
def too_short(plan: Plan) -> Iterator[Problem]:
    for times in timetables(plan):
        if not times.starts or not times.ends or times.ends <= times.starts:
            continue
        if times.usable is not None and times.usable < timedelta(hours=1):
            left = max(times.usable, timedelta())
            yield Problem(
                times.group.at("capacity", "ends"),
                f"jobs have {_words(left)} on {times.group.name}, which ends at {iso(times.ends)}",
                help="correct the dates, or extend it with aws ec2 "
                "purchase-capacity-block-extension",
            )


@warning(
    "CAP024",
    "Time limit of a queue beyond the end of its capacity",
    why="Slurm starts no job that could still run when its nodes stop, so a job with this limit "
    "never starts. Kubernetes and Batch start it, and it ends with its nodes.",
    source="https://slurm.schedmd.com/reservations.html",
    bad=_block("2026-12-10T11:30:00Z", "2026-12-12T11:30:00Z")
    + "\nqueues: [{name: train, node_groups: [h200], time_limit: 7d}]",
    good=_block("2026-12-10T11:30:00Z", "2026-12-12T11:30:00Z")
    + "\nqueues: [{name: train, node_groups: [h200], time_limit: 12h}]",
)
def time_limit(plan: Plan) -> Iterator[Problem]:
    for queue, times in _queued(plan):
        usable, limit = times.usable, queue.time_limit
        if limit and usable is not None and timedelta() < usable < timedelta(seconds=limit):
            yield Problem(
                queue.at("time_limit"),
                f"jobs may run for {format_duration(limit)}, and {times.group.name} has nodes for "
                f"{_words(usable)}",
                help=f"write at most {format_duration(_whole_hours(usable))}, or submit jobs "
                "with a shorter limit",
            )


@warning(
    "CAP025",
    "Not the time at which AWS ends capacity",
    why="All Capacity Blocks and training plans end at 11:30 UTC. A later time here stops nodes "
    "after AWS has terminated them, with the jobs on them.",
    source=_BLOCKS,
    bad=_block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00+01:00"),
)
def end_of_day(plan: Plan) -> Iterator[Problem]:
    for times in _sold(plan):
        if times.ends and times.ends.time() != blocks.END_UTC:
            usual = times.ends.replace(hour=blocks.END_UTC.hour, minute=blocks.END_UTC.minute)
            yield Problem(
                times.group.at("capacity", "ends"),
                f"{iso(times.ends)} is not 11:30 UTC, when every {times.group.capacity.title} ends",
                help=f"write {iso(usual.replace(second=0))} if that is the day",
                fix=unsafe(put(times.group.at("capacity", "ends"), iso(usual.replace(second=0)))),
            )


@rule(
    "CAP026",
    "One reservation with different dates",
    why="A reservation starts and ends once. Nodes of one of the groups would stop too early, or "
    "after AWS has terminated them.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html",
    bad=_block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z")[:-1]
    + ", {name: more, instance_type: p5en.48xlarge, count: 2, capacity: {capacity_block: "
    'cr-0a1b2c3d4e5f67890, ends: "2026-12-24T11:30:00Z"}}]',
    good=_GOOD,
)
def one_reservation(plan: Plan) -> Iterator[Problem]:
    first: dict[str, NodeGroup] = {}
    for group in plan.node_groups:
        if not group.capacity.id or not group.capacity.kind.startswith((*_SOLD, "reservation")):
            continue
        other = first.setdefault(group.capacity.id, group)
        dates = [(each.capacity.starts, each.capacity.ends) for each in (other, group)]
        if dates[0] != dates[1]:
            yield Problem(
                group.at("capacity"),
                f"{group.capacity.id} starts or ends at another time in {other.name!r}",
                help="write the same dates in both groups",
            )


@note(
    "CAP027",
    "Capacity that is over",
    why="The end is before the date of this version of clustergen. A note, and the same on every "
    "day, because a spec in a repository does not get worse with time; `deploy.sh` reads the "
    "clock.",
    source=_HOW,
    bad=_block("2025-12-10T11:30:00Z", "2025-12-17T11:30:00Z"),
    good=_GOOD,
)
def over(plan: Plan) -> Iterator[Problem]:
    for times in timetables(plan):
        if times.ends and times.ends < blocks.AS_OF:
            yield Problem(
                times.group.at("capacity", "ends"),
                f"{times.group.name} ended at {iso(times.ends)}",
                help="remove the group, or write the id and dates of new capacity",
            )


@note(
    "CAP028",
    "No time limit on nodes that end",
    why="Without a limit, nobody knows whether a job ends before its nodes do: it may start "
    "minutes before, and is stopped then.",
    source=_HOW,
    bad=_GOOD + "\nqueues: [{name: train, node_groups: [h200]}]",
    good=_GOOD + "\nqueues: [{name: train, node_groups: [h200], time_limit: 12h}]",
)
def no_limit(plan: Plan) -> Iterator[Problem]:
    # Queues of Kubernetes have none, and partitions of others keep theirs.
    limit = "write time_limit, or " if plan.scheduler != "kubernetes" and acts(plan) else ""
    for queue, times in _queued(plan):
        unlimited = slurm.limit(queue) is None and not slurm.unreadable_limit(queue)
        if times.ends and plan.wrote(*queue.at()) and unlimited:
            yield Problem(
                queue.at(),
                f"jobs of {queue.name} have no time limit, and {times.group.name} stops at "
                f"{iso(times.stops or times.ends)}",
                help=f"{limit}have jobs write checkpoints",
            )


@warning(
    "CAP030",
    "Long time limit on nodes that end",
    why="Slurm starts no job that could outlive its nodes. A job without `--time` has the "
    "DefaultTime of its queue, or else its time limit. In the last hours or days of the capacity, "
    "none starts, and nodes that are paid for idle. More than a tenth of the capacity is reported.",
    source="https://slurm.schedmd.com/reservations.html",
    bad=_GOOD + "\nqueues: [{name: train, node_groups: [h200], time_limit: 6d}]",
    good=_GOOD + "\nqueues: [{name: train, node_groups: [h200], time_limit: 6d, "
    'slurm: {DefaultTime: "8:00:00"}}]',
)
def long_limit(plan: Plan) -> Iterator[Problem]:
    for queue, times in _queued(plan) if plan.scheduler == "slurm" and acts(plan) else ():
        usable = times.usable or timedelta()
        seconds = usable.total_seconds()
        limit = slurm.limit(queue) or 0
        beyond = limit == queue.time_limit and limit > seconds  # CAP024
        if 0 < seconds < 10 * limit and not beyond and slurm.limits(plan, times.group):
            idle = format_duration(limit)
            default = format_slurm_duration(_whole_hours(usable / 10))
            yield Problem(
                queue.at("time_limit") if queue.time_limit else queue.at(),
                f"a job of {queue.name} without --time has {idle}, and does not start in the last "
                f"{idle} of {times.group.name}",
                help=f'write slurm: {{DefaultTime: "{default}"}} in the queue, or have each job '
                "ask for a --time",
            )


@note(
    "CAP031",
    "Bought capacity without dates",
    why="A Capacity Block or training plan ends, and its instances with it. Jobs stay off nodes "
    "before that, and get their signal, only if the spec has the dates.",
    source=_HOW,
    bad="node_groups: [{name: h200, count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good=_GOOD,
)
def without_dates(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.capacity.kind in _SOLD and group.capacity.ends is None:
            yield Problem(
                group.at("capacity"),
                f"nothing keeps jobs off {group.name} before its {group.capacity.title} ends",
                help=f"write starts and ends; {_SHOW[group.capacity.kind]} shows them",
            )


def _queued(plan: Plan) -> Iterator[tuple[Queue, Timetable]]:
    for queue in plan.queues:
        for group in queue.node_groups:
            if times := timetable(plan, group):
                yield queue, times


def _sold(plan: Plan) -> Iterator[Timetable]:
    return (times for times in timetables(plan) if times.group.capacity.kind in _SOLD)


def _whole_hours(length: timedelta) -> int:
    """In seconds; part of an hour is left as it is."""
    seconds = int(length.total_seconds())
    return seconds - seconds % 3600 or seconds


def _words(length: timedelta) -> str:
    return format_duration(int(length.total_seconds())) if length else "no time"

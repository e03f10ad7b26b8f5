"""What should run now, and what need not, as parts of expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clustergen.monitoring import names
from clustergen.monitoring.sources import (
    Source,
    always_due,
    due_by_reservation,
    most_by_reservation,
    reservations,
    sources,
)
from clustergen.plan.model import Plan
from clustergen.plan.timetable import timetables

_NONE = f'0 * group by (cluster) (up{{$scope,job="{names.HOST}"}})'

_BOOT_SECONDS = 1800
"""After the start: nodes boot, as ``node_metrics.py`` has it for reservations."""


def nodes(plan: Plan) -> str:
    """The minimum counts of the spec; those of a reservation only while it is active."""
    reserved = due_by_reservation(plan).items()
    return _sum(always_due(plan), (f"{count} * {_active(id)}" for id, count in reserved))


def less_undue(plan: Plan) -> str:
    """What to subtract from a number of Slurm's nodes; nothing without reservations."""
    reserved = most_by_reservation(plan).items()
    dated = " + ".join(_undue_by_date(plan))
    undue = _sum(dated or 0, (f"{count} * (1 - {_active(id)})" for id, count in reserved))
    return f"\n- on (cluster) {undue}" if reserved or dated else ""


def _undue_by_date(plan: Plan) -> Iterator[str]:
    """Nodes of groups with dates of which EC2 does not tell, such as those of training plans."""
    for count, begin, end in undue_times(plan):
        parts = []
        if begin:
            parts.append(f"(time() < bool {begin})")
        if end:
            parts.append(f"(time() >= bool {end})")
        yield f"{count} * ({' + '.join(parts)})"


def undue_times(plan: Plan) -> Iterator[tuple[int, int | None, int | None]]:
    """Nodes of these groups, and until and from when they do not count, in seconds since 1970."""
    for times in timetables(plan):
        if times.group.capacity.id in reservations(plan):
            continue
        begin = int(times.launches.timestamp()) + _BOOT_SECONDS if times.launches else None
        end = int(times.stops.timestamp()) if times.stops else None
        if begin or end:
            yield times.group.max, begin, end


_LAST_SECONDS = 86400
"""The last day of a block, as ``CapacityBlockEndsInADay`` has it."""


def unless_ending(plan: Plan) -> str:
    """What takes away clusters with a group whose last day it is; nothing without ends."""
    parts = [f"({part}) > 0" for part in _last_days_by_date(plan)]
    if Source.BLOCK in sources(plan):
        parts.append(f"capacity:ends_in:seconds{{$scope}} < {_LAST_SECONDS} > 0")
    return "".join(f"\nunless on (cluster) ({part})" for part in parts)


def _last_days_by_date(plan: Plan) -> Iterator[str]:
    for times in timetables(plan):
        end = times.group.capacity.ends
        if end and times.group.capacity.id not in reservations(plan):
            at = int(end.timestamp())
            yield f"{_NONE} + (time() >= bool {at - _LAST_SECONDS}) * (time() < bool {at})"


def untimed(plan: Plan) -> str:
    """A matcher without the queues whose groups all have a timetable; nothing if there are none."""
    timed = {times.group.name for times in timetables(plan)}
    held = [
        queue.name.replace(".", "[.]")
        for queue in plan.queues
        if all(group.name in timed for group in queue.node_groups)
    ]
    pattern = "|".join(held)
    return f',cluster_queue!~"{pattern}"' if held else ""


def _active(id: str) -> str:
    """1 or 0; nothing if EC2 does not tell about the reservation."""
    where = f'{{$scope,reservation="{id}"}}'
    return f"max by (cluster, reservation) ({names.RESERVATION_ACTIVE}{where})"


def _sum(first: int | str, parts: Iterable[str]) -> str:
    reserved = "".join(f"{part}\n  or " for part in parts)
    if not reserved:
        return f"({first} + {_NONE})"
    return f"({first} + sum by (cluster) (\n  {reserved}{_NONE}\n))"

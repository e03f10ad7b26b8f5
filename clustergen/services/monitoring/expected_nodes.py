"""PromQL fragments: how many nodes should be up now."""

from collections.abc import Iterable, Iterator

from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.timetable import timetables
from clustergen.services.monitoring import names
from clustergen.services.monitoring.sources import (
    Source,
    expected_groups,
    is_reserved,
    most_by_reservation,
    reservations,
    sources,
)

_NONE = f'0 * group by (cluster) (up{{$scope,job="{names.HOST}"}})'

_BOOT_SECONDS = 1800
"""After the start: nodes boot, as ``node_metrics.py`` has it for reservations."""


def nodes(plan: Plan) -> str:
    """The minimum of each group; of one with a reservation only while that is active."""
    return "\nor ".join(map(_minimum, expected_groups(plan)))


def _minimum(group: NodeGroup) -> str:
    when = f"* {_active(group.capacity.id or '')}" if is_reserved(group) else f"+ {_NONE}"
    return f'label_replace({group.min} {when}, "group", "{group.resource_name}", "", "")'


def less_undue(plan: Plan) -> str:
    """What to subtract from a number of Slurm's nodes; nothing without reservations.

    Nodes that Slurm no longer shows are not subtracted, such as those of a group that has stopped.
    """
    reserved = most_by_reservation(plan).items()
    dated = " + ".join(_undue_by_date(plan))
    undue = _sum(dated or 0, (f"{count} * (1 - {_active(id)})" for id, count in reserved))
    gone = f"clamp_min({most_shown(plan)} - max by (cluster) ({names.SLURM_NODES}{{$scope}}), 0)"
    return f"\n- on (cluster) clamp_min({undue}\n- {gone}, 0)" if reserved or dated else ""


def most_shown(plan: Plan) -> int:
    """The nodes that Slurm shows when none is gone."""
    login = plan.all_login if _counts_login(plan) else ()
    return plan.max_nodes + sum(machine.count for machine in login)


def measured(plan: Plan) -> str:
    """A pattern of the roles of nodes that Slurm counts.

    One too many can hide as many silent nodes; one too few would alert forever.
    """
    return "compute|login" if _counts_login(plan) else "compute"


def _counts_login(plan: Plan) -> bool:
    """Whether slurmctld itself counts nodes: ``sinfo`` leaves out those of no partition."""
    since, version = plan.limits.login_in_slurm, plan.slurm.version
    known = version or plan.limits.default_slurm_version or ""
    return bool(since) and plan.creates_cluster and known >= since


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
        id = times.group.capacity.id
        if id in most_by_reservation(plan):
            continue
        # Where Slurm reserves nodes of a block, they are down only when it has ended.
        launches = None if id in reservations(plan) else times.launches
        begin = int(launches.timestamp()) + _BOOT_SECONDS if launches else None
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

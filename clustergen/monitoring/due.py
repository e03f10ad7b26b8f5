"""How many nodes should run now, and how many need not, as expressions."""

from __future__ import annotations

from collections.abc import Iterable

from clustergen.monitoring import names
from clustergen.monitoring.sources import always_due, due_by_reservation, most_by_reservation
from clustergen.plan.model import Plan

_NONE = f'0 * group by (cluster) (up{{$scope,job="{names.HOST}"}})'


def nodes(plan: Plan) -> str:
    """The minimum counts of the spec; those of a reservation only while it is active."""
    reserved = due_by_reservation(plan).items()
    return _sum(always_due(plan), (f"{count} * {_active(id)}" for id, count in reserved))


def less_undue(plan: Plan) -> str:
    """What to subtract from a number of Slurm's nodes; nothing without reservations."""
    reserved = most_by_reservation(plan).items()
    undue = _sum(0, (f"{count} * (1 - {_active(id)})" for id, count in reserved))
    return f"\n- on (cluster) {undue}" if reserved else ""


def _active(id: str) -> str:
    """1 or 0; nothing if EC2 does not tell about the reservation."""
    where = f'{{$scope,reservation="{id}"}}'
    return f"max by (cluster, reservation) ({names.RESERVATION_ACTIVE}{where})"


def _sum(first: int, parts: Iterable[str]) -> str:
    reserved = "".join(f"{part}\n  or " for part in parts)
    if not reserved:
        return f"({first} + {_NONE})"
    return f"({first} + sum by (cluster) (\n  {reserved}{_NONE}\n))"

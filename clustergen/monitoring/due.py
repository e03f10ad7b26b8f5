"""How many nodes should run now, as an expression."""

from __future__ import annotations

from clustergen.monitoring import names
from clustergen.monitoring.sources import always_due, due_by_reservation
from clustergen.plan.model import Plan

_NONE = f'0 * group by (cluster) (up{{$scope,job="{names.HOST}"}})'


def nodes(plan: Plan) -> str:
    """The minimum counts of the spec; those of a reservation only while it is active."""
    parts = [
        f"{count} * max by (cluster, reservation) "
        f'(clustergen_reservation_active{{$scope,reservation="{id}"}})'
        for id, count in due_by_reservation(plan).items()
    ]
    always = always_due(plan)
    if not parts:
        return f"({always} + {_NONE})"
    # A reservation that EC2 does not tell about has no series, and so no nodes.
    reserved = "\n  or ".join(parts)
    return f"({always} + sum by (cluster) (\n  {reserved}\n  or {_NONE}\n))"

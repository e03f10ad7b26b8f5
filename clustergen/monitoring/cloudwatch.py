"""A dashboard of CloudWatch, from the same boards: panels whose metrics CloudWatch has.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from clustergen.artifacts import Json
from clustergen.monitoring import names
from clustergen.monitoring.dashboards import boards
from clustergen.monitoring.panels import Panel, Vended
from clustergen.monitoring.sources import Source, sources
from clustergen.plan.model import Lustre, Plan

WIDTH: Final = 24
_TALL, _WIDE = 6, 8
_SECONDS: Final = 60


def cloudwatch(plan: Plan) -> Json:
    """The body of a dashboard; a panel that two boards have is there once."""
    panels = {panel.title: panel for panel in _panels(plan)}
    return {"widgets": list(_widgets(plan, tuple(panels.values())))}


def _panels(plan: Plan) -> Iterator[Panel]:
    for board in boards(plan):
        for row in board.rows:
            yield from (panel for panel in row.panels if _vended(plan, panel))


def sent(plan: Plan) -> frozenset[str]:
    """The metrics of nodes that the dashboard shows."""
    panels = (panel for board in boards(plan) for row in board.rows for panel in row.panels)
    return frozenset(v.metric for panel in panels for v in panel.vended if not v.namespace)


def _vended(plan: Plan, panel: Panel) -> tuple[Vended, ...]:
    """The metrics that exist: those of services, and the agent's where it sends there."""
    agent = Source.AGENT in sources(plan)
    return tuple(vended for vended in panel.vended if vended.namespace or agent)


def _widgets(plan: Plan, panels: tuple[Panel, ...]) -> Iterator[Json]:
    per_line = WIDTH // _WIDE
    for index, panel in enumerate(panels):
        line, column = divmod(index, per_line)
        yield {
            "type": "metric",
            "x": column * _WIDE,
            "y": line * _TALL,
            "width": _WIDE,
            "height": _TALL,
            "properties": {
                "title": panel.title,
                "region": plan.region,
                "view": "timeSeries",
                "period": _SECONDS,
                "metrics": [
                    line for vended in _vended(plan, panel) for line in _lines(plan, vended)
                ],
            },
        }


def _lines(plan: Plan, vended: Vended) -> Iterator[list[Any]]:
    """The metric of each thing whose id is known, else of all: nodes come and go."""
    known = _ids(plan, vended.dimension)
    for id in known:
        yield [vended.namespace, vended.metric, vended.dimension, id, {"stat": vended.statistic}]
    if not known:
        own = ",".join((names.namespace(plan.name), *names.OF_NODES))
        where = f"{vended.namespace},{vended.dimension}" if vended.namespace else own
        search = f'{{{where}}} MetricName="{vended.metric}"'
        yield [{"expression": f"SEARCH('{search}', '{vended.statistic}', {_SECONDS})"}]


def _ids(plan: Plan, dimension: str) -> tuple[str, ...]:
    if not dimension:
        return ()
    if dimension == "FileSystemId":
        # A file system of the foundation has its id once that is deployed.
        ids = [one.id for one in plan.storage if isinstance(one, Lustre)]
    else:
        ids = [group.capacity.id or "" for group in plan.node_groups if group.reserved]
    literal = tuple(id for id in ids if isinstance(id, str) and id)
    return literal if len(literal) == len(ids) else ()

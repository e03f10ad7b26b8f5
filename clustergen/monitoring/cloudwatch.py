"""A dashboard of CloudWatch, from the same boards: panels whose metrics CloudWatch has.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clustergen.artifacts import Json
from clustergen.monitoring.dashboards import boards
from clustergen.monitoring.panels import Panel, Vended
from clustergen.monitoring.sources import Source, sources
from clustergen.plan.model import Plan

WIDTH: Final = 24
_TALL, _WIDE = 6, 8
_SECONDS: Final = 60


def namespace(plan: Plan) -> str:
    """Where CloudWatch's agent puts the metrics of this cluster's nodes."""
    return f"clustergen/{plan.name}"


def cloudwatch(plan: Plan) -> Json:
    """The body of a dashboard; a panel that two boards have is there once."""
    panels = {panel.title: panel for panel in _panels(plan)}
    return {"widgets": list(_widgets(plan, tuple(panels.values())))}


def _panels(plan: Plan) -> Iterator[Panel]:
    for board in boards(plan):
        for row in board.rows:
            yield from (panel for panel in row.panels if _vended(plan, panel))


def _vended(plan: Plan, panel: Panel) -> tuple[Vended, ...]:
    """The metrics that exist: nodes of Kubernetes run no agent."""
    agent = Source.SLURM in sources(plan)
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
                "metrics": [[_search(plan, vended)] for vended in _vended(plan, panel)],
            },
        }


def _search(plan: Plan, vended: Vended) -> Json:
    """All series of a metric: instances come and go, and ids are not known yet."""
    where = f"{vended.namespace or namespace(plan)},{vended.dimension}"
    search = f'{{{where}}} MetricName="{vended.metric}"'
    return {"expression": f"SEARCH('{search}', '{vended.statistic}', {_SECONDS})"}

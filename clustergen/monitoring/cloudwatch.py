"""A dashboard of CloudWatch, from the same boards: panels whose metrics CloudWatch has.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from clustergen.artifacts import Json
from clustergen.aws import references
from clustergen.monitoring import names
from clustergen.monitoring.dashboards import boards
from clustergen.monitoring.panels import Panel, Vended
from clustergen.monitoring.sources import Source, measured, reservations, sources
from clustergen.plan.model import Lustre, OpenZfs, Plan

WIDTH: Final = 24
_TALL, _WIDE = 6, 8
_SECONDS: Final = 60


def cloudwatch(plan: Plan) -> Json:
    """The body of a dashboard; a panel that two boards have is there once."""
    panels = {panel.title: panel for panel in _panels(plan)}
    return {"widgets": list(_widgets(plan, tuple(panels.values())))}


def _panels(plan: Plan) -> Iterator[Panel]:
    for board in boards(measured(plan)):
        for row in board.rows:
            yield from (panel for panel in row.panels if any(_shown(plan, panel)))


def sent(plan: Plan) -> frozenset[str]:
    """The metrics of nodes that the dashboard shows."""
    own = boards(sources(plan))
    panels = (panel for board in own for row in board.rows for panel in row.panels)
    return frozenset(v.metric for panel in panels for v in panel.vended if not v.namespace)


def _shown(plan: Plan, panel: Panel) -> Iterator[list[Any]]:
    """The metrics that exist: those of services, and the agent's where it sends there."""
    fed = measured(plan)
    for vended in panel.vended:
        if (vended.namespace or Source.AGENT in fed) and vended.needs <= fed:
            yield from _lines(plan, vended)


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
                "metrics": list(_shown(plan, panel)),
            },
        }


def _lines(plan: Plan, vended: Vended) -> Iterator[list[Any]]:
    """The metric of each file system or reservation, or of all nodes, which come and go."""
    if not vended.namespace:
        schema = ",".join((names.namespace(plan.name), *names.OF_NODES))
        yield [{"expression": _search(vended, f'{{{schema}}} MetricName="{vended.metric}"')}]
        return
    for id, label in _things(plan, vended).items():
        shown = {"label": label} if label else {}
        if vended.total:
            # Whatever the dimension of its parts is called.
            found = _search(vended, f'MetricName="{vended.metric}" "{id}"')
            yield [{"expression": f"{vended.total}({found})", **shown}]
        else:
            place = [vended.namespace, vended.metric, vended.dimension, id]
            yield [*place, {"stat": vended.statistic, **shown}]


def _search(vended: Vended, query: str) -> str:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html"""
    return f"SEARCH('{query}', '{vended.statistic}', {_SECONDS})"


def _things(plan: Plan, vended: Vended) -> dict[str, str]:
    """Id -> label. The foundation's ids are references, for ``Fn::Sub``."""
    if vended.dimension == "FileSystemId":
        kind = OpenZfs if Source.OPENZFS in vended.needs else Lustre
        systems = [one for one in plan.storage if isinstance(one, kind) and one.id]
        return {references.text(one.id): one.mount for one in systems if one.id}
    if vended.dimension == "ClusterName":
        return {plan.kubernetes_name: ""}
    return dict.fromkeys(reservations(plan), "")

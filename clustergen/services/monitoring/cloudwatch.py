"""A dashboard of CloudWatch, from the same boards: panels whose metrics CloudWatch has.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

from collections.abc import Iterator
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.plan import storage_kinds
from clustergen.plan.model import Lustre, OpenZfs, Plan
from clustergen.services.aws import references
from clustergen.services.monitoring import names
from clustergen.services.monitoring.dashboards import boards
from clustergen.services.monitoring.panels import Panel, Vended
from clustergen.services.monitoring.sources import Source, measured, reservations, sources

WIDTH: Final = 24
_TALL, _WIDE = 6, 8
_SECONDS: Final = 60
_DIMENSIONS: Final = {
    "AWS/EC2CapacityReservations": "CapacityReservationId",
    "AWS/FSx": "FileSystemId",
    "ContainerInsights": "ClusterName",
}


def cloudwatch(plan: Plan) -> Json:
    """The body of a dashboard; a panel that two boards have is there once."""
    panels = {panel.title: panel for panel in _panels(plan)}
    # Else a longer time range has longer periods, and sums are no longer those of a minute.
    return {"periodOverride": "inherit", "widgets": list(_widgets(plan, tuple(panels.values())))}


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
                "title": panel.vended_title or panel.title,
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
        called = " ".join(filter(None, (label, vended.label)))
        shown = {"label": called} if called else {}
        if vended.total:
            # With all dimensions: else a metric of the whole would count, too.
            parts = f"{{{vended.namespace},FileSystemId,StorageTargetId}}"
            query = f'{parts} MetricName="{vended.metric}" FileSystemId="{id}"'
            found = _search(vended, query)
            yield [{"expression": f"{vended.total}({found})", **shown}]
        else:
            place = [vended.namespace, vended.metric, _DIMENSIONS[vended.namespace], id]
            yield [*place, {"stat": vended.statistic, **shown}]


def _search(vended: Vended, query: str) -> str:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html"""
    return f"SEARCH('{query}', '{vended.statistic}', {_SECONDS})"


def _things(plan: Plan, vended: Vended) -> dict[str, str]:
    """Id -> label. The foundation's ids are references, for ``Fn::Sub``."""
    if vended.namespace == "AWS/FSx":
        kind = OpenZfs if Source.OPENZFS in vended.needs else Lustre
        systems = [one for one in storage_kinds.identified(plan) if isinstance(one, kind)]
        return {references.text(one.id): one.mount for one in systems}
    if vended.namespace == "ContainerInsights":
        return {plan.kubernetes_name: ""}
    return dict.fromkeys(reservations(plan), "")

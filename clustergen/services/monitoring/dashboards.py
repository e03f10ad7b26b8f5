"""Grafana's dashboards, as data, from the boards.

Plain JSON: libraries that write it know the panels of one version of Grafana, and Grafana migrates
the few fields here from ``schemaVersion`` 39 on.
https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.monitoring import names
from clustergen.services.monitoring.boards import BOARDS
from clustergen.services.monitoring.labels import Labels, labels_of
from clustergen.services.monitoring.panels import (
    NODES,
    RATE,
    SCOPE,
    Board,
    Kind,
    Panel,
    Row,
    Variable,
)
from clustergen.services.monitoring.sources import Source, sources

SCHEMA_VERSION: Final = 39
WIDTH: Final = 24
_SIZES: Final[Mapping[Kind, tuple[int, int]]] = {"stat": (3, 4), "graph": (8, 8), "table": (8, 8)}
"""Width and height in the units of Grafana's grid."""
_TYPES: Final[Mapping[Kind, str]] = {"stat": "stat", "graph": "timeseries", "table": "table"}
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_CLUSTER: Final = Variable("cluster", "up", "cluster", several=False)
_NODE: Final = Variable("node", "up{$scope}", "node")
_GPU_NODE: Final = Variable("node", "DCGM_FI_DEV_GPU_TEMP{$scope}", "node")


def dashboards(plan: Plan) -> Mapping[str, Json]:
    """Uid -> dashboard, with the panels that a cluster of ``plan`` can feed."""
    labels = labels_of(plan)
    return {board.uid: _dashboard(board, plan, labels) for board in boards(sources(plan))}


def boards(fed: frozenset[Source]) -> Iterator[Board]:
    """The boards of a cluster with these sources, without the panels that nothing feeds."""
    for board in BOARDS:
        rows = tuple(row for row in (_fed(row, fed) for row in board.rows) if row.panels)
        if board.needs <= fed and rows:
            yield Board(board.uid, board.title, rows, board.variables, board.needs)


def _fed(row: Row, fed: frozenset[Source]) -> Row:
    return Row(row.title, tuple(panel for panel in row.panels if panel.needs <= fed))


def _dashboard(board: Board, plan: Plan, labels: Labels) -> Json:
    used = [*_variables(board, plan), *board.variables]
    source = {"name": "datasource", "label": "Data source", "type": "datasource"}
    return {
        "uid": board.uid,
        "title": board.title,
        "tags": ["clustergen"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": True,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "graphTooltip": 1,
        "annotations": {"list": [_alerts(labels)]},
        "links": [_others()],
        "templating": {
            "list": [{**source, "query": "prometheus"}, *(_choice(v, plan, labels) for v in used)]
        },
        "panels": list(_panels(board.rows, labels)),
    }


def _variables(board: Board, plan: Plan) -> Iterator[Variable]:
    if Source.ADD_ON not in sources(plan):
        yield _CLUSTER
    if _uses_nodes(board):
        yield _NODE if Source.HOST in sources(plan) else _GPU_NODE


def _uses_nodes(board: Board) -> bool:
    panels = (panel for row in board.rows for panel in row.panels)
    return any(NODES in query.expr for panel in panels for query in panel.queries)


def _alerts(labels: Labels) -> Json:
    """Alerts that page, as marks on every graph."""
    return {
        "name": "Pages",
        "enable": True,
        "iconColor": "red",
        "datasource": _SOURCE,
        "expr": expression('ALERTS{$scope,alertstate="firing",severity="page"}', labels),
        "titleFormat": "{{alertname}}",
        "textFormat": "{{node}}",
        "step": "60s",
    }


def _others() -> Json:
    """A menu of the other dashboards, which keeps the time and the choices."""
    return {
        "title": "Dashboards",
        "type": "dashboards",
        "tags": ["clustergen"],
        "asDropdown": True,
        "keepTime": True,
        "includeVars": True,
    }


def _choice(variable: Variable, plan: Plan, labels: Labels) -> Json:
    label = labels.node if variable.label == names.NODE else variable.label
    query = f"label_values({expression(variable.series, labels)}, {label})"
    every = {"includeAll": True, "allValue": ".+"} if variable.several else {"includeAll": False}
    own = {"text": plan.name, "value": plan.name}
    chosen = {"text": "All", "value": "$__all"} if variable.several else own
    return {
        "name": variable.name,
        "label": variable.name.replace("_", " "),
        "type": "query",
        "datasource": _SOURCE,
        "definition": query,
        "query": {"query": query, "refId": variable.name},
        "refresh": 2,
        "sort": 1,
        "multi": variable.several,
        "current": chosen,
        **every,
    }


def _panels(rows: tuple[Row, ...], labels: Labels) -> Iterator[Json]:
    """Rows from top to bottom, panels from left to right."""
    number, y = 1, 0
    for row in rows:
        heading = {"x": 0, "y": y, "w": WIDTH, "h": 1}
        yield {"id": number, "type": "row", "title": row.title, "gridPos": heading, "panels": []}
        number, y, x, height = number + 1, y + 1, 0, 0
        for panel in row.panels:
            width, tall = _size(panel.kind, len(row.panels))
            if x + width > WIDTH:
                x, y, height = 0, y + height, 0
            yield _panel(panel, labels, number, {"x": x, "y": y, "w": width, "h": tall})
            number, x, height = number + 1, x + width, max(height, tall)
        y += height


def _size(kind: Kind, panels: int) -> tuple[int, int]:
    """Four in a line where lines are full then, else three."""
    width, tall = _SIZES[kind]
    return (WIDTH // 4 if kind != "stat" and panels % 4 == 0 else width), tall


def _panel(panel: Panel, labels: Labels, number: int, position: Mapping[str, int]) -> Json:
    return {
        "id": number,
        "type": _TYPES[panel.kind],
        "title": panel.title,
        **({"description": panel.help} if panel.help else {}),
        "datasource": _SOURCE,
        "gridPos": dict(position),
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": dict(_options(panel.kind)),
        "targets": [_target(panel, labels, index) for index in range(len(panel.queries))],
    }


def _defaults(panel: Panel) -> Json:
    share = {"min": 0, "max": 1} if panel.unit == "percentunit" and panel.kind == "graph" else {}
    lines = {"custom": {"fillOpacity": 5, "showPoints": "never"}} if panel.kind == "graph" else {}
    return {"unit": panel.unit, **share, **lines}


def _options(kind: Kind) -> Mapping[str, Any]:
    if kind == "graph":
        legend = {"displayMode": "list", "placement": "bottom", "showLegend": True}
        return {"legend": legend, "tooltip": {"mode": "multi", "sort": "desc"}}
    if kind == "stat":
        return {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "none"}
    return {}


def _target(panel: Panel, labels: Labels, index: int) -> Json:
    query, now = panel.queries[index], panel.kind != "graph"
    return {
        "refId": chr(ord("A") + index),
        "datasource": _SOURCE,
        "expr": expression(query.expr, labels),
        "legendFormat": labels.applied(query.legend) or "__auto",
        "instant": now,
        "range": not now,
        "format": "table" if panel.kind == "table" else "time_series",
    }


def expression(expr: str, labels: Labels) -> str:
    """PromQL with Grafana's variables in place of ours."""
    own = labels.cluster == names.CLUSTER
    scope = f'{names.CLUSTER}="$cluster"' if own else labels.scope
    nodes = f'{scope},{labels.node}=~"$node"'
    replaced = labels.applied(expr).replace(SCOPE, scope).replace(NODES, nodes)
    return replaced.replace(RATE, "$__rate_interval")

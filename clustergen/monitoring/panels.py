"""Dashboards as values: panels with PromQL, and what CloudWatch has of the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.monitoring.sources import Source

SCOPE = "$scope"
"""In an expression: the matcher of the chosen cluster."""
NODES = "$nodes"
"""In an expression: the matchers of the chosen cluster and nodes."""
RATE = "$rate"
"""In an expression: a window that has enough samples for ``rate``."""

Kind = Literal["stat", "graph", "table"]


@dataclass(frozen=True, slots=True)
class Query:
    """PromQL, and what a series of it is called."""

    expr: str
    legend: str


@dataclass(frozen=True, slots=True)
class Vended:
    """A metric that a service or CloudWatch's agent puts in CloudWatch.

    ``namespace`` is empty for the agent's metrics, whose namespace has the name of the cluster;
    their dimensions are :data:`~clustergen.monitoring.names.OF_NODES`.
    """

    metric: str
    statistic: str
    namespace: str = ""
    dimension: str = ""
    total: str = ""
    """The function that makes one line of the metrics of its parts, which have a dimension more."""
    needs: frozenset[Source] = frozenset()


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel; a graph is over time, a stat is now."""

    title: str
    unit: str
    kind: Kind
    queries: tuple[Query, ...]
    help: str = ""
    needs: frozenset[Source] = frozenset()
    without: frozenset[Source] = frozenset()
    healthy_empty: bool = False
    """It shows faults only, so a healthy cluster has nothing to show."""
    vended: tuple[Vended, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A choice at the top of a dashboard: the values of ``label`` in ``series``."""

    name: str
    series: str
    label: str
    several: bool = True


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard."""

    uid: str
    title: str
    rows: tuple[Row, ...]
    variables: tuple[Variable, ...] = ()
    needs: frozenset[Source] = frozenset()


def stat(title: str, unit: str, expr: str, legend: str = "", **more: object) -> Panel:
    """A number of now."""
    return Panel(title, unit, "stat", (Query(expr, legend),), **more)  # type: ignore[arg-type]


def graph(title: str, unit: str, *queries: tuple[str, str], **more: object) -> Panel:
    """Lines over time; each query is PromQL and the name of its lines."""
    made = tuple(Query(*query) for query in queries)
    return Panel(title, unit, "graph", made, **more)  # type: ignore[arg-type]

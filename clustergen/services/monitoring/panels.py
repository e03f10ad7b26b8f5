"""Dashboards as values: panels with PromQL, and what CloudWatch has of the same."""

from dataclasses import dataclass
from typing import Literal

from clustergen.services.monitoring.sources import Source

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
    their dimensions are :data:`~clustergen.services.monitoring.names.OF_NODES`.
    """

    metric: str
    statistic: str
    namespace: str = ""
    total: str = ""
    """The function that makes one line of the metrics of its parts, which have a dimension more."""
    needs: frozenset[Source] = frozenset()
    label: str = ""
    """What the line is called, where a panel has several of one thing."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel; a graph is over time, a stat is now."""

    title: str
    unit: str
    kind: Kind
    queries: tuple[Query, ...]
    help: str = ""
    needs: frozenset[Source] = frozenset()
    vended: tuple[Vended, ...] = ()
    vended_title: str = ""
    """The title in CloudWatch, where that shows something else."""


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
    uid: str
    title: str
    rows: tuple[Row, ...]
    variables: tuple[Variable, ...] = ()
    needs: frozenset[Source] = frozenset()

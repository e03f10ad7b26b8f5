"""Alerts and recorded series, as values."""

from dataclasses import dataclass
from typing import Literal

from clustergen.services.monitoring.sources import Source

Severity = Literal["page", "ticket", "info", "none"]
"""``page`` wakes someone, ``ticket`` waits for the morning, ``info`` sends no notification."""

Action = Literal["replace", "reset", "drain", "watch", "job", "capacity", "none"]
"""What to do; the runbook explains how for each target."""

Comparison = Literal[">", "<"]

SCOPE = "$scope"
"""In an expression: the matcher of the cluster's own series."""
LESS_UNDUE = "$less_undue"
"""After a number of Slurm's nodes: less those whose reservation has not begun or has ended."""
PRICES = "$prices"
"""The price of each node per hour."""
UNLESS_ENDING = "$unless_ending"
"""After a condition by cluster: not on the last day of a Capacity Block or training plan, when jobs
wait whose time limit is longer than what is left."""
UNTIMED = "$untimed"
"""In a selector of cluster queues: without those that the timetable holds."""
IN_SLURM = "$in_slurm"
"""A pattern of the roles of nodes that Slurm counts."""
DUE = "$due"
"""In an expression: the number of nodes that should run now, by cluster."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """The condition of an alert for CloudWatch, on a metric of the whole cluster.

    Each period is a minute. ``statistic`` is over all nodes and devices.
    """

    metric: str
    comparison: Comparison
    threshold: float
    statistic: Literal["Maximum", "Minimum", "Sum", "SampleCount"] = "Maximum"
    label: str = ""
    values: tuple[str, ...] = ()
    """Only series in which ``label`` has one of these values; empty: all."""
    missing: Literal["breaching", "notBreaching"] = "notBreaching"
    needs: frozenset[Source] = frozenset()
    less: str = ""
    """A metric to subtract."""
    less_undue: bool = False
    """The metric counts nodes, and those whose reservation is not active are subtracted."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert. ``after`` is how long its condition holds before it fires.

    Every selector in ``expr`` has :data:`SCOPE`: a workspace may hold other clusters too.
    """

    name: str
    severity: Severity
    action: Action
    expr: str
    summary: str
    """One line; it may use the labels and the value of the alert."""
    meaning: str
    """What happened, for the runbook."""
    steps: tuple[str, ...]
    """What to look at, for the runbook; how to do the action follows."""
    after: str = ""
    needs: frozenset[Source] = frozenset()
    without: frozenset[Source] = frozenset()
    """Sources that make another alert the better one."""
    alarm: Alarm | None = None
    """What CloudWatch can watch of it, if anything."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A series that rules and panels share."""

    name: str
    expr: str
    needs: frozenset[Source] = frozenset()


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that are evaluated together, in their order, every ``interval``."""

    name: str
    interval: str
    rules: tuple[Alert | Recorded, ...]

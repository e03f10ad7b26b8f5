"""What metrics cost: samples in Amazon Managed Service for Prometheus, metrics in CloudWatch.

https://aws.amazon.com/prometheus/pricing/, https://aws.amazon.com/cloudwatch/pricing/; us-east-1,
recorded 2026-11-21. Storage, queries and logs are not included: they come to a tenth of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clustergen.monitoring.counters import COUNTERS
from clustergen.plan.model import NodeGroup, Plan

INTERVAL_SECONDS: Final = 30
MONTH_SECONDS: Final = 30 * 86_400
TIERS: Final = ((2e9, 0.90), (252e9, 0.35), (float("inf"), 0.16))
"""Samples of a month up to this number, and USD for ten million of them."""

METRIC_TIERS: Final = ((10_000, 0.30), (250_000, 0.10), (1_000_000, 0.05), (float("inf"), 0.02))
"""Metrics of CloudWatch up to this number, and USD for each in a month."""

EFA_COUNTERS: Final = 12
"""Of each device: those that ``node_metrics.py`` reads."""
MOUNT_SERIES: Final = 4
"""Of each file system: present, answers, size, free."""
HOST_SERIES: Final = 30
"""CPU modes, memory, root volume, clock, what a node should have, and about each scrape."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What all nodes at their maximum send in a month."""

    nodes: int
    series: int
    samples: float
    usd: float


def cost(plan: Plan, interval_seconds: int = INTERVAL_SECONDS) -> Cost:
    """The cost of a cluster of ``plan`` at its maximum."""
    series = sum(node_series(plan, group) * group.max for group in plan.node_groups)
    samples = samples_of(series, interval_seconds)
    return Cost(plan.max_nodes, series, samples, usd_of(samples))


def node_series(plan: Plan, group: NodeGroup) -> int:
    """Series of one node. A GPU without errors has none for the Xid count."""
    gpus = group.type.gpus * (len(COUNTERS) - 1)
    efa = group.efa_interfaces * EFA_COUNTERS
    return gpus + efa + len(plan.storage) * MOUNT_SERIES + HOST_SERIES


def samples_of(series: int, interval_seconds: int = INTERVAL_SECONDS) -> float:
    """Samples of a month, one of each series in every interval."""
    return series * MONTH_SECONDS / interval_seconds


def usd_of(samples: float) -> float:
    """The price of a month's samples."""
    return _tiered(samples, TIERS) / 1e7


def usd_of_metrics(count: int) -> float:
    """The price of a month of this many metrics in CloudWatch."""
    return _tiered(count, METRIC_TIERS)


def _tiered(amount: float, tiers: Iterable[tuple[float, float]]) -> float:
    """Each tier is cheaper than the one before."""
    dollars, done = 0.0, 0.0
    for end, price in tiers:
        within = max(min(amount, end) - done, 0)
        dollars, done = dollars + within * price, end
    return dollars

"""ParallelCluster has no fee; its dashboard does."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.cost.model import Line
from clustergen.cost.pricing import Prices
from clustergen.plan.model import Plan


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The CloudWatch dashboard."""
    if plan.monitoring.dashboards == "cloudwatch":
        units = {"CloudWatch dashboard": 1.0}
        yield at.line("monitoring", "dashboard", "1 CloudWatch dashboard", units)

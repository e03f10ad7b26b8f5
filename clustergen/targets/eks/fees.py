"""The fees of EKS."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.cost.model import Line
from clustergen.cost.pricing import Prices
from clustergen.eks.fees import control_plane
from clustergen.kubernetes import prometheus
from clustergen.plan.model import Plan


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The control plane, and what collects and keeps metrics."""
    if plan.options.creates_eks:
        yield control_plane(plan, at)
    if plan.monitoring.metrics == "self-hosted":
        what = f"EBS gp3, {prometheus.VOLUME_GIB} GiB"
        yield at.line("monitoring", "Prometheus", what, {"EBS gp3": prometheus.VOLUME_GIB})
    if plan.monitoring.workspace is not None:
        what = "scraper of Managed Service for Prometheus"
        yield at.line("monitoring", "collector", what, {"Managed Prometheus collector": 1})

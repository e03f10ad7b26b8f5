"""The fees of EKS."""

from collections.abc import Iterator

from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line
from clustergen.services.cost.pricing import Prices
from clustergen.services.eks.fees import control_plane


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The control plane, and what collects and keeps metrics."""
    if plan.options.creates_eks:
        yield control_plane(plan, at)
    if plan.monitoring.metrics == "self-hosted":
        from clustergen.services.kubernetes import prometheus  # loads alerts and dashboards

        what = f"EBS gp3, {prometheus.VOLUME_GIB} GiB"
        yield at.line("monitoring", "Prometheus", what, {"EBS gp3": prometheus.VOLUME_GIB})
    if plan.monitoring.workspace is not None:
        what = "scraper of Managed Service for Prometheus"
        yield at.line("monitoring", "collector", what, {"Managed Prometheus collector": 1})

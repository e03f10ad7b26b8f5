"""Metrics, dashboards and logs."""

from collections.abc import Iterator, Sequence
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.facts.catalog.prices import MONTH_HOURS, Book
from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line, Tiers
from clustergen.services.cost.pricing import Prices, span
from clustergen.services.monitoring.alarms import alarms
from clustergen.services.monitoring.samples import cloudwatch_metrics, series
from clustergen.services.monitoring.sources import Source, sources
from clustergen.services.monitoring.stack import has_dashboard

HOUR_SECONDS: Final = 3600
FREE_SAMPLES: Final = 40e6
"""Of an account in a month. https://aws.amazon.com/prometheus/pricing/ (2025-04)"""
_SAMPLES: Final = (
    (2e9, "Managed Prometheus samples"),
    (252e9, "Managed Prometheus samples over 2e9"),
    (float("inf"), "Managed Prometheus samples over 252e9"),
)
_ALARM: Final = "CloudWatch alarm"
_METRICS: Final = (
    (10e3, "CloudWatch metric"),
    (250e3, "CloudWatch metric over 10,000"),
    (1e6, "CloudWatch metric over 250,000"),
    (float("inf"), "CloudWatch metric over 1,000,000"),
)


def lines(plan: Plan, book: Book) -> Iterator[Line]:
    """What the spec's monitoring section adds, and logs."""
    at = Prices.of(plan, book).regional
    if plan.monitoring.workspace is not None:
        yield _samples(plan, at)
        stored = "in the workspace; the first 10 GB of an account are free"
        yield at.by_use("monitoring", "metrics stored", stored, "Managed Prometheus storage")
    if plan.monitoring.metrics == "cloudwatch" or plan.insights:
        yield _cloudwatch(plan, at)
    if has_dashboard(plan):
        units = {"CloudWatch dashboard": 1.0}
        yield at.line("monitoring", "dashboard of nodes", "1 CloudWatch dashboard", units)
    yield from _alarms(plan, at)
    if plan.monitoring.dashboards == "managed-grafana":
        roles = ("Managed Grafana editor", "Managed Grafana viewer")
        yield at.by_use("monitoring", "Grafana", "users of a month", *roles)
    if _writes_logs(plan):
        logs = ("CloudWatch logs", "CloudWatch logs stored")
        yield at.by_use("monitoring", "logs", "CloudWatch logs, written and kept", *logs)


def _alarms(plan: Plan, at: Prices) -> Iterator[Line]:
    """CloudWatch counts each metric of an alarm, and each that a query of an alarm reads.

    https://aws.amazon.com/cloudwatch/pricing/
    """
    metrics = [_metrics_of(alarm["Properties"]) for alarm in alarms(plan).values()]
    of_workspace = plan.monitoring.workspace is not None and plan.monitoring.alerts.wanted
    count = sum(map(len, metrics)) + of_workspace
    if count:
        what = f"alarms on {count} metric{'s' if count > 1 else ''}"
        yield at.line("monitoring", "alarms", what, {_ALARM: count})
    if not all(metrics):
        what = "metrics of storage targets and servers that alarms query"
        yield at.by_use("monitoring", "alarms on file systems", what, _ALARM)


def _metrics_of(alarm: Json) -> Sequence[Json]:
    """The metrics that an alarm names; none if it has a query."""
    queries = alarm.get("Metrics", [{"MetricStat": alarm}])
    return [query for query in queries if "MetricStat" in query]


def _writes_logs(plan: Plan) -> bool:
    """Those of an existing EKS cluster are its owner's: nodes add none, except for metrics."""
    joins_eks = plan.scheduler == "kubernetes" and not plan.sagemaker and not plan.creates_cluster
    return not joins_eks or plan.monitoring.metrics == "cloudwatch"


def samples(per_hour: float, at: Prices) -> Tiers | None:
    """The amount of metrics with this many samples; None where a price is unknown."""
    return _tiers(per_hour, _SAMPLES, at, free=FREE_SAMPLES)


def metrics(count: int, at: Prices) -> Tiers | None:
    """The amount of this many metrics in CloudWatch; None where a price is unknown."""
    return _tiers(count / MONTH_HOURS, _METRICS, at)


def _tiers(
    per_hour: float, names: Sequence[tuple[float, str]], at: Prices, *, free: float = 0
) -> Tiers | None:
    """The tiers that a month needs; None if the price of one is unknown."""
    units = per_hour * MONTH_HOURS
    begins = [0.0, *(end for end, _ in names)]
    needed = [
        tier for begin, tier in zip(begins, names, strict=False) if not begin or begin < units
    ]
    found = [(end, at.find(name)) for end, name in needed]
    tiers = tuple((end, price) for end, price in found if price)
    return Tiers(per_hour, free, tiers) if len(tiers) == len(needed) else None


def _cloudwatch(plan: Plan, at: Prices) -> Line:
    if Source.AGENT not in sources(plan):
        name = "metrics" if plan.monitoring.metrics == "cloudwatch" else "dashboards"
        what, price = "Container Insights", "Container Insights observations"
        return at.unknown("monitoring", name, what, price)
    count = cloudwatch_metrics(plan)[1]
    what = f"{count:,} metrics in CloudWatch"
    amount = metrics(count, at)
    if amount is None:
        return at.unknown("monitoring", "metrics", what, _METRICS[-1][1])
    both = (amount,)
    return Line(part="monitoring", name="metrics", what=what, low=both, high=both)


def _samples(plan: Plan, at: Prices) -> Line:
    interval = plan.monitoring.interval_seconds
    least, most = series(plan)
    what = f"{span(least, most)} series, a sample of each in {interval} s"
    low = samples(least * HOUR_SECONDS / interval, at)
    high = samples(most * HOUR_SECONDS / interval, at)
    if low is None or high is None:
        return at.unknown("monitoring", "metrics", what, _SAMPLES[0][1])
    note = "the first 40 million samples a month of an account are free"
    if plan.scheduler == "slurm" and (plan.head or plan.login):
        note += "; those of head and login nodes and of Slurm are not in it"
    return Line(part="monitoring", name="metrics", what=what, low=(low,), high=(high,), note=note)

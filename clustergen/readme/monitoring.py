"""Metrics and alerts of a cluster: where they are, how many, what is left to do."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.monitoring.names import namespace
from clustergen.monitoring.samples import cloudwatch_metrics, series
from clustergen.monitoring.sources import Source, sources
from clustergen.plan.model import Monitoring, Plan, Ref


def paragraphs(plan: Plan) -> Iterator[str]:
    """Nothing where no metrics are collected."""
    if plan.monitoring.metrics == "none":
        return
    if plan.monitoring.metrics == "self-hosted":
        yield from _self_hosted(plan)
        return
    if plan.monitoring.workspace is None:
        yield from _cloudwatch(plan)
        return
    yield (
        f"{_workspace(plan)} stores the metrics of nodes, GPUs, EFA and the scheduler. The alerts "
        "are in\n`monitoring/rules/`, and `monitoring/runbooks.md` says what to do about each."
    )
    yield _size(plan)
    if steps := "\n".join(f"- {step}" for step in _steps(plan)):
        yield steps


def _self_hosted(plan: Plan) -> Iterator[str]:
    yield (
        "Prometheus in the cluster stores the metrics of nodes, GPUs, EFA and Kubernetes for 30 "
        "days, on an\nEBS volume. `kubectl -n prometheus port-forward svc/prometheus 9090` opens "
        "its page on this machine.\nThe alerts are in `monitoring/rules/`, and "
        "`monitoring/runbooks.md` says what to do about each. If the\ncluster is down, so are its "
        "alerts."
    )
    if steps := "\n".join(f"- {step}" for step in _steps(plan)):
        yield steps


def _cloudwatch(plan: Plan) -> Iterator[str]:
    yield _metrics_of_nodes(plan) if Source.AGENT in sources(plan) else _insights(plan)
    monitoring = plan.monitoring
    if steps := "\n".join(f"- {step}" for step in _notified(monitoring, "CloudWatch alarms")):
        yield steps


def _insights(plan: Plan) -> str:
    from clustergen.monitoring.alarms import alarms

    batch = plan.scheduler == "batch"
    measured = "nodes and tasks, but not of GPUs and EFA" if batch else "nodes and pods"
    text = (
        f"Container Insights has the metrics of {measured}: CloudWatch, Container Insights. "
        "Its price\nis per observation: https://aws.amazon.com/cloudwatch/pricing/."
    )
    if batch and alarms(plan):
        text += "\nAlarms watch the file systems of FSx for Lustre."
    return text


def _metrics_of_nodes(plan: Plan) -> str:
    each, count = cloudwatch_metrics(plan)
    return (
        f"CloudWatch has {each} metrics of each node in `{namespace(plan.name)}`: those that "
        "alarms\n"
        "and the dashboard read. `monitoring/runbooks.md` says what to do about each alarm. At\n"
        f"its maximum, the cluster has {count:,} metrics."
    )


def _workspace(plan: Plan) -> str:
    given = plan.monitoring.workspace
    if isinstance(given, Ref):
        return "A workspace of Amazon Managed Service for Prometheus"
    return f"The workspace `{given}`"


def _size(plan: Plan) -> str:
    interval = plan.monitoring.interval_seconds
    most = series(plan)[1]
    return (
        f"At its maximum, the cluster has {plan.max_nodes:,} nodes with {most:,} series, and a "
        f"sample of each in {interval} s.\nA longer `monitoring.interval` costs less."
    )


def _steps(plan: Plan) -> Iterator[str]:
    monitoring = plan.monitoring
    yield from _notified(monitoring, "Amazon Managed Service for Prometheus and CloudWatch alarms")
    if monitoring.dashboards == "managed-grafana":
        yield (
            f"`monitoring/push-dashboards --region {plan.region} --stack "
            f"{plan.stack('foundation')}` uploads the dashboards to `GrafanaUrl` of the "
            "foundation's outputs; `aws grafana update-permissions` makes its first administrator"
        )
    if monitoring.dashboards == "grafana-files":
        yield "import `monitoring/dashboards/` into Grafana, or provision the folder"


def _notified(monitoring: Monitoring, publishers: str) -> Iterator[str]:
    if monitoring.alerts.emails:
        yield "each address of `alerts.email` gets a message after the deployment: confirm it"
    if topic := monitoring.alerts.topic:
        yield f"the policy of `{topic}` has to let {publishers} publish"
    if not monitoring.alerts.wanted:
        yield "nobody is notified: add `monitoring.alerts` to the spec"

"""Metrics, dashboards, alerts and logs of a plan."""

from clustergen.plan.model import Alerts, Id, Monitoring, Ref
from clustergen.spec import Spec

_SECONDS_PER_DAY = 86400


def monitoring(spec: Spec) -> Monitoring:
    """The section with its defaults; a new workspace is the foundation's."""
    given = spec.monitoring
    kept = given.log_retention
    return Monitoring(
        metrics=given.metrics,
        dashboards=given.dashboards,
        alerts=Alerts(tuple(given.alerts.email), given.alerts.topic),
        interval_seconds=given.interval,
        workspace=_workspace(spec) if given.metrics == "managed-prometheus" else None,
        log_retention_days=0 if kept == "forever" else -(-kept // _SECONDS_PER_DAY),
    )


def _workspace(spec: Spec) -> Id:
    given = spec.monitoring.workspace
    return Ref("MetricsWorkspaceId") if given == "new" else given

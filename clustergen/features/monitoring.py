"""How every target supports what the foundation has of metrics, dashboards and alerts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features.table import Support

_AMP = "https://docs.aws.amazon.com/prometheus/latest/userguide/"
_AMG = "https://docs.aws.amazon.com/grafana/latest/userguide/"

SHARED: Mapping[str, Support] = MappingProxyType(
    {
        "monitoring.self-hosted": Support(
            "none",
            "clustergen sets up no Prometheus server; use metrics: managed-prometheus",
            f"{_AMP}what-is-Amazon-Managed-Service-Prometheus.html",
        ),
        "monitoring.cloudwatch-metrics": Support(
            "none",
            "CloudWatch has the metrics of the service; for those of GPUs, EFA and Slurm use "
            "metrics: managed-prometheus",
            f"{_AMP}what-is-Amazon-Managed-Service-Prometheus.html",
        ),
        "monitoring.alerts": Support(
            "full",
            "rules of the workspace, whose Alertmanager publishes to an SNS topic",
            f"{_AMP}AMP-alertmanager-receiver-config.html",
        ),
        "monitoring.grafana": Support(
            "full",
            "a workspace of the foundation; monitoring/push-dashboards uploads the dashboards",
            f"{_AMG}what-is-Amazon-Managed-Service-Grafana.html",
        ),
        "monitoring.grafana-files": Support(
            "full",
            "monitoring/dashboards of the bundle, to import or to provision",
            "https://grafana.com/docs/grafana/latest/administration/provisioning/#dashboards",
        ),
    }
)

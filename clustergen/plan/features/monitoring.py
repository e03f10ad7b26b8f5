"""How every target supports what the foundation has of metrics, dashboards and alerts."""

from collections.abc import Mapping

from clustergen.plan.features.model import Support

_AMP = "https://docs.aws.amazon.com/prometheus/latest/userguide/"
_CLOUDWATCH = "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
_AMG = "https://docs.aws.amazon.com/grafana/latest/userguide/"

SLURM_CLOUDWATCH = Support(
    "full",
    "the CloudWatch agent of nodes sends the metrics of GPUs, EFA, mounts and Slurm that alarms "
    "and the dashboard read",
    f"{_CLOUDWATCH}CloudWatch-Agent-PrometheusEC2.html",
)
INSIGHTS = f"{_CLOUDWATCH}Container-Insights-metrics-enhanced-EKS.html"
"""Metrics of nodes and pods of an EKS cluster."""
SHARED: Mapping[str, Support] = {
    "monitoring.self-hosted": Support(
        "none",
        "no node can keep a Prometheus server and its data: the service replaces nodes, and "
        "Amazon Linux has no package of it; use metrics: managed-prometheus",
        "https://docs.aws.amazon.com/linux/al2023/release-notes/all-packages.html",
    ),
    "monitoring.alerts": Support(
        "full",
        "rules of the workspace, whose Alertmanager publishes to an SNS topic; with metrics: "
        "cloudwatch, alarms",
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

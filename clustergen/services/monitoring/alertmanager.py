"""Where alerts go: Alertmanager's configuration, for a managed workspace and for an own one.

https://prometheus.io/docs/alerting/latest/configuration/; what a workspace accepts of it:
https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-config.html
"""

from typing import Final

from clustergen.base.artifacts import Json

PAGE: Final = "page"
TICKET: Final = "ticket"
NOBODY: Final = "nobody"

# SNS takes 100 ASCII characters as a subject, and the default template makes it longer:
# https://docs.aws.amazon.com/prometheus/latest/userguide/Troubleshooting-alerting-no-policy.html
_SUBJECT = "{{ .CommonLabels.severity }}: {{ .CommonLabels.alertname }} {{ .CommonLabels.cluster }}"
_MESSAGE = """\
{{ range .Alerts }}{{ .Status }}: {{ .Annotations.summary }}
  what to do: {{ .Annotations.runbook }}
  since {{ .StartsAt.UTC.Format "2006-01-02 15:04 UTC" }}
{{ end }}"""


def configuration(*, sns_topic: str, region: str) -> Json:
    """Alerts to an SNS topic, which is all that a managed workspace can send to."""

    def receiver(severity: str) -> Json:
        message = {
            "topic_arn": sns_topic,
            "sigv4": {"region": region},
            "subject": _SUBJECT,
            "message": _MESSAGE,
            "attributes": {"severity": severity},
            "send_resolved": True,
        }
        return {"name": severity, "sns_configs": [message]}

    return {
        "route": {
            "receiver": TICKET,
            "group_by": ["cluster", "alertname"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            "routes": [
                _route("none", NOBODY, repeat_interval="1h"),
                _route("info", NOBODY),
                _route("page", PAGE, repeat_interval="2h"),
            ],
        },
        "inhibit_rules": _INHIBITIONS,
        "receivers": [{"name": NOBODY}, receiver(PAGE), receiver(TICKET)],
    }


def _route(severity: str, receiver: str, **settings: str) -> Json:
    return {"matchers": [f'severity="{severity}"'], "receiver": receiver, **settings}


def _hides(source: str, targets: str, *equal: str) -> Json:
    return {
        "source_matchers": [f'alertname="{source}"'],
        "target_matchers": [f'alertname=~"{targets}"'],
        "equal": ["cluster", *equal],
    }


_INHIBITIONS: Final = [
    _hides("SlurmNodesDown", "NodesFewerThanMinimum"),
    _hides(
        "KubernetesNodeNotReady",
        "ExporterDown|GpuMissing|EfaDeviceMissing|KubernetesGpusUnhealthy|KubernetesNodeCordoned",
        "node",
    ),
    _hides("GpuXidReplace", "GpuMissing|GpuXidReset|GpuXidDegraded|GpuXidApplication", "node"),
    _hides(
        "MetricsAbsent",
        "GpuMetricsAbsent|SlurmControllerAbsent|NodesFewerThanMinimum|NodesNotMeasured",
    ),
    _hides("CapacityBlockEndsSoon", "CapacityBlockEndsInADay", "reservation"),
    _hides("FileSystemAlmostFull", "FileSystemFillsUp", "mountpoint"),
]
"""A cause hides its consequences."""

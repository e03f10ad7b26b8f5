"""The way of the metrics themselves.

A workspace that is full cannot evaluate the rule that would tell: CloudWatch alarms watch it.
"""

from __future__ import annotations

from clustergen.monitoring import names
from clustergen.monitoring.alert import Alert, RuleGroup
from clustergen.monitoring.sources import Source

HOST = frozenset({Source.HOST})
_BY = "by (cluster, node)"
_QUEUE = "prometheus_remote_storage"

GROUP = RuleGroup(
    "pipeline",
    "60s",
    (
        Alert(
            "SenderBehind",
            "ticket",
            "watch",
            f"max {_BY} ({_QUEUE}_highest_timestamp_in_seconds{{$scope}})\n"
            f"- on (cluster, node) max {_BY} "
            f"({_QUEUE}_queue_highest_sent_timestamp_seconds{{$scope}}) > 300",
            "Metrics from {{ $labels.node }} arrive {{ $value | humanizeDuration }} late",
            "The Prometheus there collects faster than it can send.",
            ("its log: throttled requests, or a network that is too slow",),
            after="10m",
            needs=HOST,
        ),
        Alert(
            "SenderFails",
            "ticket",
            "watch",
            f"sum {_BY} (rate({_QUEUE}_samples_failed_total{{$scope}}[5m])) > 0",
            "The Prometheus on {{ $labels.node }} loses samples",
            "The workspace refuses samples: too many series, too old, or duplicates.",
            ("its log has the answer of the workspace",),
            after="10m",
            needs=HOST,
        ),
        Alert(
            "CollectionSlow",
            "ticket",
            "watch",
            f'scrape_duration_seconds{{$scope,job=~"{names.DCGM}|{names.HOST}"}} > 8',
            "Exporter {{ $labels.job }} of {{ $labels.node }} needs {{ $value | humanize }} s",
            "An exporter is about to exceed the 10 seconds that it has; its samples will be lost.",
            ("the load of the node, and a GPU or file system that answers slowly",),
            after="15m",
            needs=HOST,
        ),
        # It always fires: a receiver that hears nothing knows that the chain is broken.
        Alert(
            "Watchdog",
            "none",
            "none",
            "vector(1)",
            "Alerts work",
            "This alert always fires. If it stops to arrive, alerts do not work.",
            ("a service that expects a message every hour can watch it",),
        ),
    ),
)

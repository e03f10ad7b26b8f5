"""The way of the metrics themselves.

A workspace that is full cannot evaluate the rule that would tell: a CloudWatch alarm watches it.
"""

from __future__ import annotations

from clustergen.monitoring import names
from clustergen.monitoring.alert import Alert, RuleGroup
from clustergen.monitoring.sources import Source

HOST = frozenset({Source.HOST})
_UP = f'up{{$scope,job="{names.HOST}"}}'
_SAMPLES = f"count_over_time({_UP}[30m])"

GROUP = RuleGroup(
    "pipeline",
    "60s",
    (
        # Measured against the other nodes: the interval is up to the collector. A node that began,
        # ended or was restarted sent nothing for longer than Prometheus looks back, which is five
        # minutes; gaps are shorter.
        Alert(
            "MetricsIncomplete",
            "ticket",
            "watch",
            f"{_SAMPLES}\n"
            f"  < on (cluster) group_left () 0.7 * max by (cluster) ({_SAMPLES})\n"
            f"and on (cluster, node) count_over_time({_UP}[30m:1m]) > 27",
            "Metrics of {{ $labels.node }} arrive with gaps",
            "Samples of this node are lost on their way: its network is busy, or the workspace "
            "refuses some.",
            ("the log of the collector has the answers of the workspace",),
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
            "This alert always fires. If a webhook no longer gets it, alerts do not work.",
            (
                "a service that expects a message every hour can watch it",
                "an SNS topic, and so e-mail, never gets it",
            ),
        ),
    ),
)

"""Metrics of nodes for CloudWatch: the agent writes them to a log, which CloudWatch reads.

What is a metric there is declared, because each one is paid for: those that an alarm or a panel
reads. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-PrometheusEC2.html
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.monitoring import cloudwatch, names
from clustergen.services.monitoring.alarms import alerts_with_alarms, less_undue, undue_nodes

SCRAPED: Final = "$HOME_FOLDER/prometheus.yaml"
"""The agent's list of exporters, where the script for nodes writes it."""


def settings(plan: Plan) -> str:
    """The agent's settings as JSON; the script for nodes fills :data:`SCRAPED`."""
    prometheus = {
        "cluster_name": plan.name,
        "log_group_name": names.log_group(plan),
        "prometheus_config_path": SCRAPED,
        "emf_processor": {
            "metric_declaration_dedup": True,
            "metric_namespace": names.namespace(plan.name),
            "metric_declaration": list(_declarations(plan)),
        },
    }
    return json.dumps({"logs": {"metrics_collected": {"prometheus": prometheus}}}, indent=2)


def metrics(plan: Plan) -> frozenset[str]:
    """The names of the metrics that CloudWatch has for each node."""
    watched = [alarm for _, alarm in alerts_with_alarms(plan)]
    plain = {alarm.metric for alarm in watched if not alarm.label}
    shown = {names.SLURM_NODES} if any(less_undue(plan, alarm) for alarm in watched) else set()
    return cloudwatch.sent(plan) | plain | shown | {each.less for each in watched if each.less}


def _declarations(plan: Plan) -> Iterator[Json]:
    yield _declaration(plan, sorted(metrics(plan)), [names.OF_CLUSTER, names.OF_NODES])
    labels: dict[str, set[str]] = {}
    for _, alarm in alerts_with_alarms(plan):
        if alarm.label:
            labels.setdefault(alarm.label, set()).add(alarm.metric)
        if undue_nodes(plan, alarm):
            labels.setdefault(names.RESERVATION, set()).add(names.RESERVATION_ACTIVE)
    for label, wanted in labels.items():
        yield _declaration(plan, sorted(wanted), [(names.CLUSTER, label)])


def _declaration(plan: Plan, wanted: Iterable[str], dimensions: Iterable[tuple[str, ...]]) -> Json:
    return {
        "source_labels": [names.CLUSTER],
        "label_matcher": f"^{plan.name}$",
        "dimensions": [list(one) for one in dimensions],
        "metric_selectors": [f"^{name}$" for name in wanted],
    }

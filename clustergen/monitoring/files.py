"""The files of a bundle that define its monitoring."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.artifacts import Artifact, json_artifact
from clustergen.monitoring import counters
from clustergen.monitoring.alarms import alerts_with_alarms
from clustergen.monitoring.alertmanager import webhook_configuration
from clustergen.monitoring.dashboards import dashboards
from clustergen.monitoring.rules import RUNBOOKS, alerts_of, rule_groups
from clustergen.monitoring.runbooks import runbooks
from clustergen.monitoring.sources import Source, sources
from clustergen.plan.model import Plan
from clustergen.resources import tree
from clustergen.yaml_text import yaml_text

NODE_METRICS = "monitoring/node_metrics.py"


def node_metrics() -> str:
    """The script for nodes; ``--help`` explains what it measures."""
    return (tree("templates") / NODE_METRICS).read_text(encoding="utf-8")


def rule_files(plan: Plan) -> Iterator[Artifact]:
    """Rules, and the page that they refer to."""
    for name, file in rule_groups(plan).items():
        yield Artifact(f"monitoring/rules/{name}.yaml", yaml_text(file))
    yield Artifact(RUNBOOKS, runbooks(plan, alerts_of(plan)))


def alarm_files(plan: Plan) -> Iterator[Artifact]:
    """The page that alarms refer to; none where no alarm watches nodes."""
    if any(alerts_with_alarms(plan)):
        yield Artifact(RUNBOOKS, runbooks(plan, (alert for alert, _ in alerts_with_alarms(plan))))


def dashboard_files(plan: Plan) -> Iterator[Artifact]:
    """Dashboards for Grafana, each to import or to provision."""
    for uid, document in dashboards(plan).items():
        yield json_artifact(f"monitoring/dashboards/{uid}.json", document)


def alertmanager_file(webhook: str) -> Artifact:
    """For an Alertmanager of one's own."""
    return Artifact("monitoring/alertmanager.yaml", yaml_text(webhook_configuration(webhook)))


def node_files(plan: Plan) -> Iterator[Artifact]:
    """Files for metrics of nodes."""
    yield Artifact(NODE_METRICS, node_metrics(), executable=True)
    if Source.GPU in sources(plan):
        yield Artifact(counters.PATH, counters.csv())


def artifacts(plan: Plan) -> tuple[Artifact, ...]:
    """All of them, but the configuration of an Alertmanager."""
    return (*rule_files(plan), *dashboard_files(plan), *node_files(plan))

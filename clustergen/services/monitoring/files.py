"""The files of a bundle that define its monitoring."""

from collections.abc import Iterable, Iterator

from clustergen.base import pages
from clustergen.base.artifacts import Artifact, json_artifact
from clustergen.base.resources import template
from clustergen.base.yaml_text import yaml_text
from clustergen.plan.model import Plan
from clustergen.services.monitoring import counters
from clustergen.services.monitoring.alarms import alerts_with_alarms
from clustergen.services.monitoring.alert import Alert
from clustergen.services.monitoring.dashboards import dashboards
from clustergen.services.monitoring.rules import RUNBOOKS, alerts_of, rule_groups
from clustergen.services.monitoring.sources import Source, sources

NODE_METRICS = "monitoring/node_metrics.py"


def node_metrics() -> str:
    """The script for nodes; ``--help`` explains what it measures."""
    return template(NODE_METRICS)


def rule_files(plan: Plan) -> Iterator[Artifact]:
    """Rules, and the page that they refer to."""
    for name, file in rule_groups(plan).items():
        yield Artifact(f"monitoring/rules/{name}.yaml", yaml_text(file))
    yield _runbooks(plan, alerts_of(plan))


def alarm_files(plan: Plan) -> Iterator[Artifact]:
    """The page that alarms refer to; none where no alarm watches nodes."""
    if watched := [alert for alert, _ in alerts_with_alarms(plan)]:
        yield _runbooks(plan, watched)


def _runbooks(plan: Plan, alerts: Iterable[Alert]) -> Artifact:
    slurm = Source.EXPECTED in sources(plan)
    values = {"name": plan.name, "alerts": list(alerts), "slurm": slurm}
    return Artifact(RUNBOOKS, pages.render("monitoring/runbooks.md.j2", values))


def dashboard_files(plan: Plan) -> Iterator[Artifact]:
    """Dashboards for Grafana, each to import or to provision."""
    for uid, document in dashboards(plan).items():
        yield json_artifact(f"monitoring/dashboards/{uid}.json", document)


def node_files(plan: Plan) -> Iterator[Artifact]:
    """Files for metrics of nodes."""
    yield Artifact(NODE_METRICS, node_metrics(), executable=True)
    if Source.GPU in sources(plan):
        yield Artifact(counters.PATH, counters.csv())


def artifacts(plan: Plan) -> tuple[Artifact, ...]:
    """All of them, but the configuration of an Alertmanager."""
    return (*rule_files(plan), *dashboard_files(plan), *node_files(plan))

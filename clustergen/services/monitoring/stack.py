"""The stack of a cluster's rules and its dashboard.

They are not part of the foundation: without the cluster, its alerts would fire forever.
"""

import functools
import json
from collections.abc import Iterator

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.digests import sha256
from clustergen.base.resources import template
from clustergen.base.yaml_text import yaml_text
from clustergen.plan.model import Lustre, OpenZfs, Plan, Ref
from clustergen.services.aws import cfn, marks, prometheus
from clustergen.services.aws.members import filled
from clustergen.services.monitoring.sources import Source, sources

# Alerts and panels are imported where they are used: most specs have no monitoring.

PATH = "monitoring.template.json"
_DASHBOARD = "Dashboard"
_ALERTS, _BOTH = "Alerts", "Alerts and dashboard"
_OUTPUTS = {"MetricsWorkspaceId": "Workspace of metrics", "AlertTopicArn": "Topic of alerts"}
"""Of the foundation."""
PAUSED = "Paused"
"""The parameter that deploy.sh sets while the cluster has no nodes on purpose."""
_RUNNING = "Running"


def files(plan: Plan) -> Iterator[Artifact]:
    """The template, and what it is made of; nothing where the spec has no monitoring."""
    if made := _resources(plan):
        yield marks.artifact(PATH, _template(plan, made), plan)
    if plan.monitoring.metrics == "none":
        return
    from clustergen.services.monitoring import files as definition

    if not plan.monitoring.scraped:
        yield from definition.alarm_files(plan)
        return
    yield from definition.rule_files(plan)
    if "grafana" in plan.monitoring.dashboards:
        yield from definition.dashboard_files(plan)
    if "grafana" in plan.monitoring.dashboards and plan.monitoring.metrics == "managed-prometheus":
        # It makes the workspace of metrics a data source of Grafana.
        text = template("monitoring/push_dashboards.py")
        yield Artifact("monitoring/push-dashboards", text, executable=True)


def name(plan: Plan) -> str:
    """Of the stack. Each target has one: while a cluster moves, two of them run."""
    return plan.stack(what(plan))


def what(plan: Plan) -> str:
    """The last word of its name."""
    return f"{plan.target}-monitoring"


def descriptions(plan: Plan) -> tuple[str, ...]:
    """What the template may say of itself, as alerts and the dashboard come and go."""
    return tuple(f"{contents} of {plan.name}" for contents in (_BOTH, _ALERTS, _DASHBOARD))


def parameters(plan: Plan) -> list[str] | None:
    """The parameters of the template that the foundation knows; None where there is no template."""
    made = _resources(plan)
    return list(cfn.parameters(made, _known(plan))) if made else None


def knows_pause(plan: Plan) -> bool:
    """Whether the template has :data:`PAUSED`."""
    return _has_conditions(_resources(plan))


def _has_conditions(resources: Json) -> bool:
    return any("Condition" in resource for resource in resources.values())


def path(plan: Plan) -> str:
    """The path of the template; empty where there is none."""
    return "" if parameters(plan) is None else PATH


def _known(plan: Plan) -> dict[str, str]:
    ids = ((s.mount, s.id) for s in plan.storage if isinstance(s, Lustre | OpenZfs))
    return {
        **_OUTPUTS,
        **{id.name: f"File system of {mount}" for mount, id in ids if isinstance(id, Ref)},
    }


def _template(plan: Plan, resources: Json) -> Json:
    needed, conditions = cfn.parameters(resources, _known(plan)), {}
    if _has_conditions(resources):
        values = {"Default": "no", "AllowedValues": ["no", "yes"]}
        text = "Whether the cluster has no nodes on purpose"
        needed = {**needed, PAUSED: {"Type": "String", "Description": text, **values}}
        conditions = {_RUNNING: {"Fn::Equals": [cfn.ref(PAUSED), "no"]}}
    description = f"{_contents(resources)} of {plan.name}"
    return cfn.template(description, resources, parameters=needed, conditions=conditions)


def _contents(resources: Json) -> str:
    alerts, dashboard = set(resources) - {_DASHBOARD}, _DASHBOARD in resources
    if alerts and dashboard:
        return _BOTH
    return _ALERTS if alerts else _DASHBOARD


@functools.lru_cache(maxsize=4)
def _resources(plan: Plan) -> Json:
    return {**_rules(plan), **_alarms(plan), **_dashboard(plan)}


def _alarms(plan: Plan) -> Json:
    if not plan.monitoring.alerts.wanted:
        return {}
    from clustergen.services.monitoring.alarms import alarms
    from clustergen.services.monitoring.alerts import DUE

    due = {rule.name for rule in DUE.rules}
    return {name: _while_running(made, name in due) for name, made in alarms(plan).items()}


def _while_running(resource: Json, due: bool) -> Json:
    """Alerts on what is not there on purpose would wake someone."""
    return {"Type": resource["Type"], "Condition": _RUNNING, **resource} if due else resource


def _rules(plan: Plan) -> Json:
    """Names are unique in a workspace, which clusters may share."""
    workspace = plan.monitoring.workspace
    if workspace is None:
        return {}
    from clustergen.services.monitoring.alerts import DUE
    from clustergen.services.monitoring.rules import rule_groups

    made: Json = {}
    for name, groups in rule_groups(plan).items():
        properties = {
            "Name": _namespace(plan, name),
            "Workspace": prometheus.arn(workspace),
            "Data": yaml_text(groups),
            **filled(Tags=cfn.tags(plan.tags)),
        }
        rules = cfn.resource("AWS::APS::RuleGroupsNamespace", properties)
        made[cfn.logical_id("rules", name)] = _while_running(rules, name == DUE.name)
    return made


def _namespace(plan: Plan, name: str) -> str:
    """At most 64 characters, which names of clusters may exceed."""
    if isinstance(plan.monitoring.workspace, Ref):
        return f"{name}-{plan.target}"
    return f"{name}-{plan.target}-{sha256(plan.name)[:8]}"


def has_dashboard(plan: Plan) -> bool:
    """A dashboard is paid for, so the spec has to ask for it."""
    if not plan.wrote("monitoring", "dashboards") or plan.monitoring.dashboards != "cloudwatch":
        return False
    # The service's own dashboard does not show what the nodes send.
    return not plan.limits.own_dashboard or Source.AGENT in sources(plan)


def _dashboard(plan: Plan) -> Json:
    if not has_dashboard(plan):
        return {}
    from clustergen.services.monitoring.cloudwatch import cloudwatch

    body = json.dumps(cloudwatch(plan), separators=(",", ":"))
    properties = {
        "DashboardName": plan.stack(f"{plan.target}-dashboard"),
        "DashboardBody": _filled(body),
    }
    return {_DASHBOARD: cfn.resource("AWS::CloudWatch::Dashboard", properties)}


def _filled(body: str) -> str | Json:
    """Ids of new file systems are known when they exist."""
    return cfn.sub(body) if "${" in body else body

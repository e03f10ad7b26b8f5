"""Alerts: what they need, and who can hear of them."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, note, put, rule, unsafe
from clustergen.plan.model import Plan, Ref

_ALERTS: Path = ("monitoring", "alerts")
_TOPIC: Path = (*_ALERTS, "topic")
_RECEIVERS = (
    "https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-config.html"
)


@rule(
    "MON001",
    "Alerts without metrics",
    why="Alerts are rules on metrics of nodes: without these, nothing can fire.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-Ruler.html",
    bad="monitoring: {alerts: {email: [on-call@example.com]}}",
)
def without_metrics(plan: Plan) -> Iterator[Problem]:
    metrics = plan.monitoring.metrics
    if plan.monitoring.alerts.wanted and metrics == "none":
        yield Problem(
            _ALERTS,
            "alerts have no metrics to watch: metrics is none",
            help="write metrics: managed-prometheus or metrics: cloudwatch",
            fix=unsafe(put(("monitoring", "metrics"), "managed-prometheus")),
        )


@rule(
    "MON002",
    "Topic that cannot get alerts",
    why="Alertmanager and CloudWatch publish to standard SNS topics; an alarm only to one of its "
    "own region.",
    source=_RECEIVERS,
    bad="monitoring: {metrics: managed-prometheus, "
    "alerts: {topic: 'arn:aws:sns:us-east-1:111122223333:pages.fifo'}}",
    good="monitoring: {metrics: managed-prometheus, "
    "alerts: {topic: 'arn:aws:sns:us-east-1:111122223333:pages'}}",
)
def unusable_topic(plan: Plan) -> Iterator[Problem]:
    topic = plan.monitoring.alerts.topic
    if topic is None:
        return
    _, _, service, region, _, name = topic.split(":", 5)
    if service != "sns":
        yield Problem(_TOPIC, f"{topic} is not an SNS topic", help="write the ARN of an SNS topic")
    elif name.endswith(".fifo"):
        yield Problem(_TOPIC, f"{name} is a FIFO topic", help="write the ARN of a standard topic")
    elif region != plan.region:
        yield Problem(
            _TOPIC,
            f"the topic is in {region}, the cluster in {plan.region}",
            help=f"write the ARN of a topic in {plan.region}",
        )


@note(
    "MON003",
    "Alerts of a workspace that exists",
    why="A workspace has one Alertmanager configuration. It may serve other clusters, so the "
    "foundation adds rules to a workspace that exists, but does not replace its Alertmanager.",
    source=_RECEIVERS,
    bad="monitoring: {metrics: managed-prometheus, "
    "workspace: ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789, alerts: {email: [on-call@example.com]}}",
    good="monitoring: {metrics: managed-prometheus, alerts: {email: [on-call@example.com]}}",
)
def existing_workspace(plan: Plan) -> Iterator[Problem]:
    workspace = plan.monitoring.workspace
    if plan.monitoring.alerts.wanted and workspace and not isinstance(workspace, Ref):
        yield Problem(
            _ALERTS,
            f"the Alertmanager of {workspace} is not changed",
            help="let its owner send alerts of this cluster to the topic: AlertTopicArn of the "
            "foundation's outputs",
        )

"""The workspace of metrics, its rules, who hears of alerts, and the workspace of dashboards.

They outlive clusters: metrics explain what happened to one that is gone.
"""

from collections.abc import Iterator
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.base.yaml_text import Lines, yaml_text
from clustergen.plan.model import Plan, Ref
from clustergen.services.aws import cfn, iam, logs, prometheus
from clustergen.services.aws.members import filled
from clustergen.services.foundation.parts import Output, Part, lasting, named, policy, serves
from clustergen.services.monitoring import alertmanager, names
from clustergen.services.monitoring.sources import reservations

WORKSPACE = "MetricsWorkspace"
TOPIC = "AlertTopic"
GRAFANA = "Grafana"
POLICY = "MetricsPolicy"


NODE_LOG = "NodeMetricsLog"
"""CloudWatch makes metrics of its events, which are of no use after that."""


def part(plan: Plan) -> Part:
    """Nothing where the spec wants no metrics."""
    if plan.monitoring.metrics == "none":
        return Part()
    if plan.monitoring.workspace is None:
        return Part.of((_alerts(plan), _node_log(plan), _writing(plan)))
    return Part.of((_alerts(plan), _workspace(plan), _alarms(plan), _writing(plan), _grafana(plan)))


def workspace_arn(plan: Plan) -> Any:
    """The ARN of the workspace, in the foundation's template."""
    if isinstance(plan.monitoring.workspace, Ref):
        return cfn.get_att(WORKSPACE, "Arn")
    return prometheus.arn(_existing(plan))


def _workspace_id(plan: Plan) -> Any:
    made = isinstance(plan.monitoring.workspace, Ref)
    return cfn.get_att(WORKSPACE, "WorkspaceId") if made else _existing(plan)


def _existing(plan: Plan) -> str:
    return str(plan.monitoring.workspace)


def _workspace(plan: Plan) -> Part:
    """A new workspace, and the log of what it could not evaluate or send."""
    if not isinstance(plan.monitoring.workspace, Ref):
        return Part()
    log = logs.group(plan, f"/aws/vendedlogs/prometheus/{plan.stack('metrics')}", "Retain")
    properties = {
        "Alias": plan.name,
        "LoggingConfiguration": {"LogGroupArn": cfn.get_att("MetricsLog", "Arn")},
        **_alertmanager(plan),
        **filled(Tags=cfn.tags(plan.tags)),
    }
    workspace = lasting(cfn.resource("AWS::APS::Workspace", properties), True)
    return Part(
        {WORKSPACE: workspace, "MetricsLog": log},
        {
            "MetricsWorkspaceId": Output("Workspace of metrics", _workspace_id(plan)),
            "MetricsEndpoint": Output(
                "Where metrics are written and queried",
                cfn.get_att(WORKSPACE, "PrometheusEndpoint"),
            ),
        },
    )


def _alertmanager(plan: Plan) -> Json:
    """The workspace takes Alertmanager's own file as one value of another.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-config.html
    """
    if not plan.monitoring.alerts.wanted:
        return {}
    own = alertmanager.configuration(sns_topic="${AlertTopic}", region=plan.region)
    text = yaml_text({"alertmanager_config": Lines(yaml_text(own))})
    return {"AlertManagerDefinition": cfn.sub(text, AlertTopic=_topic(plan))}


def _alerts(plan: Plan) -> Part:
    """The topic of alerts, unless there is one, and its subscribers.

    A topic that exists has a policy of its own, which only its owner changes.
    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-AWSpermission.html
    """
    alerts = plan.monitoring.alerts
    if not alerts.wanted:
        return Part()
    made: Json = {}
    if alerts.topic is None:
        made[TOPIC] = cfn.resource("AWS::SNS::Topic", {"Tags": named(plan, "alerts")})
        made["AlertTopicPolicy"] = _topic_policy(plan)
    for number, address in enumerate(alerts.emails, 1):
        properties = {"TopicArn": _topic(plan), "Protocol": "email", "Endpoint": address}
        made[f"AlertEmail{number}"] = cfn.resource("AWS::SNS::Subscription", properties)
    return Part(made, {"AlertTopicArn": Output("Topic of alerts", _topic(plan))})


def _topic(plan: Plan) -> Any:
    return plan.monitoring.alerts.topic or cfn.ref(TOPIC)


def _topic_policy(plan: Plan) -> Json:
    """The workspace and the alarms publish; both only for this account."""
    account = {"aws:SourceAccount": cfn.ref("AWS::AccountId")}
    publishers: list[tuple[str, str, list[str], Json]] = []
    if plan.monitoring.workspace is not None:
        condition = {"ArnEquals": {"aws:SourceArn": workspace_arn(plan)}, **iam.equal(account)}
        actions = ["sns:Publish", "sns:GetTopicAttributes"]
        publishers.append(("Workspace", "aps", actions, condition))
    publishers.append(("Alarms", "cloudwatch", ["sns:Publish"], iam.equal(account)))
    statements = [
        {
            "Sid": sid,
            "Effect": "Allow",
            "Principal": {"Service": cfn.sub(f"{service}.${{AWS::URLSuffix}}")},
            "Action": actions,
            "Resource": cfn.ref(TOPIC),
            "Condition": condition,
        }
        for sid, service, actions, condition in publishers
    ]
    deny = {**iam.deny_without_tls("sns", cfn.ref(TOPIC)), "Action": "sns:Publish"}
    document = iam.document([*statements, deny])
    properties = {"Topics": [cfn.ref(TOPIC)], "PolicyDocument": document}
    return cfn.resource("AWS::SNS::TopicPolicy", properties)


def _alarms(plan: Plan) -> Part:
    """What the workspace cannot say about itself: one that is throttled evaluates no rule.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-CW-usage-metrics.html
    """
    if not plan.monitoring.alerts.wanted:
        return Part()
    from clustergen.services.monitoring import alarms

    of = {"Workspace": _workspace_id(plan)}
    watched = alarms.statistic(alarms.metric("AWS/Prometheus", "DiscardedSamples", of), "Sum", 300)
    text = f"The workspace of {plan.name} discards samples of metrics"
    made = alarms.alarm(_topic(plan), text, watched, alarms.condition(0, periods=2))
    return Part({"DiscardedSamples": made})


def writing(plan: Plan) -> Iterator[Json]:
    """What lets the role of nodes send metrics, and ask about reservations."""
    if plan.monitoring.workspace is not None:
        yield iam.allow("Metrics", ["aps:RemoteWrite"], [workspace_arn(plan)])
    elif _logs_metrics(plan):
        groups = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
        actions = words("CreateLogStream PutLogEvents DescribeLogStreams")
        group = f"{groups}{names.log_group(plan)}:*"
        yield iam.allow("Metrics", iam.actions("logs", *actions), [cfn.sub(group)])
    else:
        return
    if reservations(plan):
        yield iam.allow("Reservations", ["ec2:DescribeCapacityReservations"], ["*"])


def _logs_metrics(plan: Plan) -> bool:
    """Whether nodes write metrics to a log; on Kubernetes, an add-on of EKS does its own way."""
    return plan.monitoring.metrics == "cloudwatch" and serves(plan, "node-metrics")


def _node_log(plan: Plan) -> Part:
    """Of no use once CloudWatch has read it, so it goes with the foundation."""
    if not _logs_metrics(plan):
        return Part()
    return Part({NODE_LOG: logs.group(plan, names.log_group(plan), "Delete")})


def _writing(plan: Plan) -> Part:
    """A policy for the roles that ParallelCluster creates; other roles are the foundation's."""
    if not serves(plan, "node-policies") or not (statements := list(writing(plan))):
        return Part()
    what, title = f"Metrics of {plan.name}", "Policy of nodes: sending metrics"
    return policy(POLICY, what, title, statements)


def _grafana(plan: Plan) -> Part:
    """A workspace of Amazon Managed Grafana, whose users come from IAM Identity Center."""
    if plan.monitoring.dashboards != "managed-grafana":
        return Part()
    account = iam.equal({"aws:SourceAccount": cfn.ref("AWS::AccountId")})
    role = {
        "AssumeRolePolicyDocument": iam.trust("grafana", condition=account),
        "Policies": [{"PolicyName": "reading", "PolicyDocument": iam.document(_reading(plan))}],
        "Tags": named(plan, "grafana"),
    }
    workspace = {
        "Name": plan.stack("grafana"),
        "AccountAccessType": "CURRENT_ACCOUNT",
        "AuthenticationProviders": ["AWS_SSO"],
        "PermissionType": "CUSTOMER_MANAGED",
        "RoleArn": cfn.get_att("GrafanaRole", "Arn"),
        "DataSources": ["PROMETHEUS", "CLOUDWATCH"],
        "PluginAdminEnabled": True,
    }
    return Part(
        {
            "GrafanaRole": iam.role(plan, role),
            GRAFANA: cfn.resource("AWS::Grafana::Workspace", workspace),
        },
        {
            "GrafanaId": Output("Workspace of dashboards", cfn.ref(GRAFANA)),
            "GrafanaUrl": Output("Dashboards", cfn.sub(f"https://${{{GRAFANA}.Endpoint}}")),
        },
    )


def _reading(plan: Plan) -> Iterator[Json]:
    """Queries of the workspace, and CloudWatch, which has the metrics of file systems.

    https://docs.aws.amazon.com/grafana/latest/userguide/AMG-manage-permissions.html
    """
    queries = words("""
        QueryMetrics GetLabels GetSeries GetMetricMetadata DescribeWorkspace
        ListRules ListAlertManagerAlerts ListAlertManagerSilences GetAlertManagerStatus
    """)
    yield iam.allow("Queries", iam.actions("aps", *queries), [workspace_arn(plan)])
    yield iam.allow("Workspaces", ["aps:ListWorkspaces"], ["*"])
    # Metrics of services have no resources to name.
    # https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
    metrics = words("ListMetrics GetMetricData DescribeAlarmsForMetric")
    yield iam.allow("CloudWatch", iam.actions("cloudwatch", *metrics), ["*"])

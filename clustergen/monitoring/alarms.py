"""Alarms of CloudWatch: the alerts that its metrics can tell, and those of services' metrics.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarm.html
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.monitoring import names
from clustergen.monitoring.alert import Alarm, Alert
from clustergen.monitoring.due import undue_times
from clustergen.monitoring.rules import alerts_of, runbook
from clustergen.monitoring.sources import Source, most_by_reservation, sources
from clustergen.plan.model import Id, Lustre, Plan, Ref

_COMPARISONS: Final = {">": "GreaterThanThreshold", "<": "LessThanThreshold"}
_MOST_METRICS: Final = 10
"""Of one alarm: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html"""
_SATURATED_MINUTES: Final = 30

_BUSY: Final = (
    # Metrics of each storage target and of each server, so no alarm on a file system alone sees
    # them: https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html
    ("DiskIopsUtilization", "StorageTargetId", "disks carry out no more operations"),
    ("NetworkThroughputUtilization", "FileServer", "servers send and receive no more data"),
)
_INSIGHTS: Final = (
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-metrics-EKS.html
    ("cluster_failed_node_count", 0, "nodes that are not ready"),
    ("node_filesystem_utilization", 90, "percent of a node's root volume is in use"),
)


def alerts_with_alarms(plan: Plan) -> Iterator[tuple[Alert, Alarm]]:
    """The alerts of nodes that CloudWatch watches; none where it does not have their metrics."""
    fed = sources(plan)
    if Source.AGENT not in fed:
        return
    for alert in alerts_of(plan):
        if alert.alarm and alert.alarm.needs <= fed:
            yield alert, alert.alarm


def alarms(plan: Plan) -> Json:
    """Resources by logical id; empty if the spec has no alerts."""
    if not plan.monitoring.alerts.wanted:
        return {}
    made = dict((*_of_file_systems(plan), *_of_insights(plan)))
    for alert, alarm in alerts_with_alarms(plan):
        made |= _of_nodes(plan, alert, alarm)
    return made


def _of_nodes(plan: Plan, alert: Alert, alarm: Alarm) -> Json:
    """One alarm, or several where its metrics are more than one may have."""
    size = _MOST_METRICS
    parts = [alarm.values[at : at + size] for at in range(0, len(alarm.values), size)]
    return {
        f"{alert.name}{number if number > 1 else ''}": _alarm(
            plan,
            f"{alert.meaning} {runbook(alert)}",
            _watched(plan, alarm, part),
            {
                "EvaluationPeriods": _periods(plan, alert, alarm),
                "Threshold": alarm.threshold,
                "ComparisonOperator": _COMPARISONS[alarm.comparison],
                "TreatMissingData": alarm.missing,
            },
        )
        for number, part in enumerate(parts or [()], 1)
    }


def _periods(plan: Plan, alert: Alert, alarm: Alarm) -> int:
    """How long the condition holds: more than one where ``FILL`` replaces a sample that is late."""
    fewest = 2 if undue_nodes(plan, alarm) else 1
    return max(_minutes(alert.after) * 60 // _period(plan), fewest)


def _minutes(after: str) -> int:
    return int(after.removesuffix("m") or 0)


def _period(plan: Plan) -> int:
    """Whole minutes in which every node sends a sample."""
    return -(-plan.monitoring.interval_seconds // 60) * 60


def undue_nodes(plan: Plan, alarm: Alarm) -> dict[str, int]:
    """Reservation -> nodes that do not count while it is not active.

    An alarm has room for the first nine reservations; nodes of any others always count.
    """
    most = most_by_reservation(plan).items() if alarm.less_undue else ()
    return dict(islice(most, _MOST_METRICS - 1))


def _watched(plan: Plan, alarm: Alarm, values: tuple[str, ...]) -> Json:
    """One metric, what is left of it, or the sum of one for each value of its label."""
    undue = undue_nodes(plan, alarm)
    if undue or (alarm.less_undue and any(undue_times(plan))):
        return _less_undue(plan, alarm, undue)
    each = [{names.CLUSTER: plan.name, **({alarm.label: v} if v else {})} for v in values or ("",)]
    one = [_metric(plan, alarm.metric, each_one) for each_one in each]
    if not values:
        return {**one[0], "Statistic": alarm.statistic, "Period": _period(plan)}
    queries = [_query(plan, alarm, f"m{number}", metric) for number, metric in enumerate(one, 1)]
    return {"Metrics": [*queries, _result("total", "SUM(METRICS())")]}


def _less_undue(plan: Plan, alarm: Alarm, undue: dict[str, int]) -> Json:
    """Nodes less those of reservations that are not active; without samples, one counts as active.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
    """
    cluster = {names.CLUSTER: plan.name}
    queries, left = [_query(plan, alarm, "nodes", _metric(plan, alarm.metric, cluster))], "nodes"
    for number, (id, count) in enumerate(undue.items(), 1):
        of = {**cluster, names.RESERVATION: id}
        active = _metric(plan, names.RESERVATION_ACTIVE, of)
        queries.append(_query(plan, alarm, f"active{number}", active))
        left += f" - {count} * (1 - FILL(active{number}, 1))"
    left += "".join(_undue_by_date(plan))
    return {"Metrics": [*queries, _result("left", left)]}


def _undue_by_date(plan: Plan) -> Iterator[str]:
    for count, begin, end in undue_times(plan):
        if begin:
            yield f" - {count} * (EPOCH(nodes) < {begin})"
        if end:
            yield f" - {count} * (EPOCH(nodes) >= {end})"


def _metric(plan: Plan, name: str, of: Json) -> Json:
    namespace = names.namespace(plan.name)
    return {"Namespace": namespace, "MetricName": name, "Dimensions": dimensions(of)}


def _query(plan: Plan, alarm: Alarm, id: str, metric: Json) -> Json:
    stat = {"Metric": metric, "Period": _period(plan), "Stat": alarm.statistic}
    return {"Id": id, "MetricStat": stat, "ReturnData": False}


def _result(id: str, expression: str) -> Json:
    return {"Id": id, "Expression": expression, "ReturnData": True}


def _of_file_systems(plan: Plan) -> Iterator[tuple[str, Json]]:
    """Saturated file systems, which no node can tell from slow ones."""
    for system in plan.storage:
        if not isinstance(system, Lustre) or system.id is None:
            continue
        for metric, part, meaning in _BUSY:
            yield (
                cfn.logical_id(system.mount, metric),
                _alarm(
                    plan,
                    f"{system.mount}: the file system's {meaning}: jobs that read and write wait",
                    {"Metrics": [_busiest(metric, part, system.id)]},
                    above(90, periods=_SATURATED_MINUTES),
                ),
            )


def _busiest(metric: str, part: str, id: Id) -> Json:
    """A query over all parts of a file system.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-querylanguage.html
    """
    query = (
        f'SELECT MAX({metric}) FROM SCHEMA("AWS/FSx", FileSystemId, {part}) '  # noqa: S608
        "WHERE FileSystemId = '%s'"
    )
    text = cfn.sub(query % "${Id}", Id=cfn.value(id)) if isinstance(id, Ref) else query % id
    return {"Id": "busiest", "Expression": text, "Period": 60, "ReturnData": True}


def _of_insights(plan: Plan) -> Iterator[tuple[str, Json]]:
    """What Container Insights measures of a cluster of EKS."""
    if Source.INSIGHTS not in sources(plan):
        return
    for metric, threshold, meaning in _INSIGHTS:
        yield (
            cfn.logical_id(metric),
            _alarm(
                plan,
                f"{plan.kubernetes_name}: {meaning}",
                {
                    "Namespace": "ContainerInsights",
                    "MetricName": metric,
                    "Dimensions": dimensions({"ClusterName": plan.kubernetes_name}),
                    "Statistic": "Maximum",
                    "Period": 60,
                },
                above(threshold, periods=10),
            ),
        )


def above(threshold: float, *, periods: int) -> Json:
    """The condition that a metric has been above ``threshold`` for so many periods."""
    return {
        "EvaluationPeriods": periods,
        "Threshold": threshold,
        "ComparisonOperator": _COMPARISONS[">"],
        "TreatMissingData": "notBreaching",
    }


def _alarm(plan: Plan, description: str, watched: Json, condition: Json) -> Json:
    topic = plan.monitoring.alerts.topic or cfn.ref(names.TOPIC_OUTPUT)
    return alarm(topic, description, watched, condition)


def alarm(topic: Any, description: str, watched: Json, condition: Json) -> Json:
    """A resource that notifies ``topic`` when the condition holds, and when it no longer does."""
    notified = {"AlarmActions": [topic], "OKActions": [topic]}
    properties = {"AlarmDescription": description, **watched, **condition, **notified}
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}


def dimensions(values: Json) -> list[Json]:
    """Names and values in the form of alarms."""
    return [{"Name": name, "Value": value} for name, value in values.items()]

"""Alarms of CloudWatch: the alerts that its metrics can tell, and those of services' metrics.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarm.html
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.plan import storage_kinds
from clustergen.plan.model import Id, Lustre, OpenZfs, Plan, Ref
from clustergen.services.aws import cfn
from clustergen.services.monitoring import names
from clustergen.services.monitoring.alert import Alarm, Alert, Comparison
from clustergen.services.monitoring.expected_nodes import most_shown, undue_times
from clustergen.services.monitoring.rules import alerts_of, runbook
from clustergen.services.monitoring.sources import (
    Source,
    most_by_reservation,
    reservations,
    sources,
)

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
    ("node_filesystem_utilization", 90, "percent of a disk of a node is in use (root or another)"),
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
    if Source.AGENT in sources(plan):
        made |= dict((*_of_space(plan), *_of_reservations(plan)))
    for alert, alarm in alerts_with_alarms(plan):
        made |= _of_nodes(plan, alert, alarm)
    return made


def _of_nodes(plan: Plan, alert: Alert, alarm: Alarm) -> Json:
    """One alarm, or several where its metrics are more than one may have."""
    size = _MOST_METRICS
    parts = [alarm.values[at : at + size] for at in range(0, len(alarm.values), size)]
    periods = _periods(plan, alert, alarm)
    limit = condition(alarm.threshold, periods=periods, comparison=alarm.comparison)
    return {
        f"{alert.name}{number if number > 1 else ''}": _alarm(
            plan,
            f"{alert.meaning} {runbook(alert)}",
            _watched(plan, alarm, part),
            {**limit, "TreatMissingData": alarm.missing},
        )
        for number, part in enumerate(parts or [()], 1)
    }


def _periods(plan: Plan, alert: Alert, alarm: Alarm) -> int:
    """How long the condition holds: more than one where ``FILL`` replaces a sample that is late."""
    fewest = 2 if undue_nodes(plan, alarm) else 1
    return max(int(alert.after.removesuffix("m") or 0) * 60 // _period(plan), fewest)


def _period(plan: Plan) -> int:
    """Whole minutes in which every node sends a sample."""
    return -(-plan.monitoring.interval_seconds // 60) * 60


def undue_nodes(plan: Plan, alarm: Alarm) -> dict[str, int]:
    """Reservation -> nodes that do not count while it is not active.

    An alarm has room for some reservations; nodes of any others always count.
    """
    most = most_by_reservation(plan).items() if alarm.less_undue else ()
    return dict(islice(most, _MOST_METRICS - 2 - bool(alarm.less)))


def less_undue(plan: Plan, alarm: Alarm) -> bool:
    """Whether nodes that should not be up are subtracted: also needs :data:`names.SLURM_NODES`."""
    return alarm.less_undue and bool(undue_nodes(plan, alarm) or any(undue_times(plan)))


def _watched(plan: Plan, alarm: Alarm, values: tuple[str, ...]) -> Json:
    """One metric, what is left of it, or the sum of one for each value of its label."""
    if alarm.less or less_undue(plan, alarm):
        return _left(plan, alarm)
    each = [{names.CLUSTER: plan.name, **({alarm.label: v} if v else {})} for v in values or ("",)]
    one = [_metric(plan, alarm.metric, each_one) for each_one in each]
    if not values:
        return statistic(one[0], alarm.statistic, _period(plan))
    queries = [_query(plan, alarm, f"m{number}", metric) for number, metric in enumerate(one, 1)]
    return {"Metrics": [*queries, _result("total", "SUM(METRICS())")]}


def _left(plan: Plan, alarm: Alarm) -> Json:
    """Nodes less those of another metric, and less those that should not be up.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
    """
    cluster = {names.CLUSTER: plan.name}
    undue = less_undue(plan, alarm)
    ids = {"nodes": alarm.metric, "booting": alarm.less, "shown": names.SLURM_NODES * undue}
    queries = [_query(plan, alarm, id, _metric(plan, of, cluster)) for id, of in ids.items() if of]
    left = _positive("nodes - FILL(booting, 0)") if alarm.less else "nodes"
    if undue:
        left += f" - {_undue(plan, alarm, queries)}"
    return {"Metrics": [*queries, _result("left", left)]}


def _undue(plan: Plan, alarm: Alarm, queries: list[Json]) -> str:
    """Nodes of reservations that are not active; without samples, one counts as active."""
    parts = []
    for number, (id, count) in enumerate(undue_nodes(plan, alarm).items(), 1):
        of = {names.CLUSTER: plan.name, names.RESERVATION: id}
        active = _metric(plan, names.RESERVATION_ACTIVE, of)
        queries.append(_query(plan, alarm, f"active{number}", active))
        parts.append(f"{count} * (1 - FILL(active{number}, 1))")
    gone = _positive(f"{most_shown(plan)} - shown")  # Slurm does not count these as down either
    return _positive(f"{' + '.join((*parts, *_undue_by_date(plan)))} - {gone}")


def _positive(text: str) -> str:
    """The value of an expression, or 0: a comparison is 1 or 0."""
    return f"({text}) * (({text}) > 0)"


def _undue_by_date(plan: Plan) -> Iterator[str]:
    for count, begin, end in undue_times(plan):
        if begin:
            yield f"{count} * (EPOCH(nodes) < {begin})"
        if end:
            yield f"{count} * (EPOCH(nodes) >= {end})"


def _metric(plan: Plan, name: str, of: Json) -> Json:
    return metric(names.namespace(plan.name), name, of)


def metric(namespace: str, name: str, of: Json) -> Json:
    """A metric of what the dimensions ``of`` name."""
    dimensions = [{"Name": each, "Value": value} for each, value in of.items()]
    return {"Namespace": namespace, "MetricName": name, "Dimensions": dimensions}


def statistic(of: Json, name: str, seconds: int) -> Json:
    """What an alarm watches: one statistic of the metric ``of`` in each period."""
    return {**of, "Statistic": name, "Period": seconds}


def _query(plan: Plan, alarm: Alarm, id: str, metric: Json) -> Json:
    stat = {"Metric": metric, "Period": _period(plan), "Stat": alarm.statistic}
    return {"Id": id, "MetricStat": stat, "ReturnData": False}


def _result(id: str, expression: str) -> Json:
    return {"Id": id, "Expression": expression, "ReturnData": True}


def _of_file_systems(plan: Plan) -> Iterator[tuple[str, Json]]:
    """Saturated file systems, which no node can tell from slow ones."""
    for system in storage_kinds.identified(plan):
        if not isinstance(system, Lustre):
            continue
        # FSx has no metrics of the disks of others. Of existing file systems the kind is unknown.
        disks = system.storage_class != "HDD" and not system.deployment.startswith("SCRATCH")
        for name, part, meaning in _BUSY if disks else _BUSY[1:]:
            text = f"{system.mount}: the file system's {meaning}: jobs that read and write wait"
            watched = {"Metrics": [_busiest(name, part, system.id)]}
            made = _alarm(plan, text, watched, condition(90, periods=_SATURATED_MINUTES))
            yield cfn.logical_id(system.mount, name), made


_FULL: Final = {
    Lustre: ("FreeDataStorageCapacity", "Sum"),
    OpenZfs: ("UsedStorageCapacity", "Average"),
}
"""Metrics of file systems of a fixed size, and the statistic over all of their parts."""


def _of_space(plan: Plan) -> Iterator[tuple[str, Json]]:
    """File systems of the spec with less than a tenth of their space left."""
    for system in storage_kinds.created(plan):
        if not isinstance(system, Lustre | OpenZfs) or not system.size_gib:
            continue
        name, over_parts = _FULL[type(system)]
        free = name.startswith("Free")
        limit = system.size_gib * 2**30 * (1 if free else 9) // 10
        space = metric("AWS/FSx", name, {"FileSystemId": cfn.value(system.id)})
        watched = statistic(space, over_parts, 60)
        text = f"{system.mount} is nearly full: jobs that write checkpoints will fail"
        full = condition(limit, periods=15, comparison="<" if free else ">")
        yield cfn.logical_id(system.mount, "Full"), _alarm(plan, text, watched, full)


def _of_reservations(plan: Plan) -> Iterator[tuple[str, Json]]:
    """Reservations that cost money and are idle; EC2 measures them while they are active.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-cw-metrics.html
    """
    for id in reservations(plan):
        of = {"CapacityReservationId": id}
        used = metric("AWS/EC2CapacityReservations", "InstanceUtilization", of)
        watched = statistic(used, "Maximum", 300)
        text = f"A quarter of {id} or more is paid for and idle"
        idle = condition(75, periods=6, comparison="<")
        yield cfn.logical_id(id, "Unused"), _alarm(plan, text, watched, idle)


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
    cluster = plan.kubernetes_name
    for name, threshold, meaning in _INSIGHTS:
        nodes = metric("ContainerInsights", name, {"ClusterName": cluster})
        watched, limit = statistic(nodes, "Maximum", 60), condition(threshold, periods=10)
        yield cfn.logical_id(name), _alarm(plan, f"{cluster}: {meaning}", watched, limit)


def condition(threshold: float, *, periods: int, comparison: Comparison = ">") -> Json:
    """The condition that a metric has been beyond ``threshold`` for so many periods."""
    return {
        "EvaluationPeriods": periods,
        "Threshold": threshold,
        "ComparisonOperator": _COMPARISONS[comparison],
        "TreatMissingData": "notBreaching",
    }


def _alarm(plan: Plan, description: str, watched: Json, condition: Json) -> Json:
    topic = plan.monitoring.alerts.topic or cfn.ref(names.TOPIC_OUTPUT)
    return alarm(topic, description, watched, condition)


def alarm(topic: Any, description: str, watched: Json, condition: Json) -> Json:
    """A resource that notifies ``topic`` when the condition holds, and when it no longer does."""
    notified = {"AlarmActions": [topic], "OKActions": [topic]}
    properties = {"AlarmDescription": description, **watched, **condition, **notified}
    return cfn.resource("AWS::CloudWatch::Alarm", properties)

"""Quotas and sizes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, safe, unsafe
from clustergen.plan.model import Plan
from clustergen.rules.services import note, rule
from clustergen.services.aws.logs import retention


@rule(
    "LIM003",
    "Cluster limit exceeded",
    why="Services limit the node groups, queues and nodes of one cluster, and tags. A quota can be "
    "raised, which takes days; a fixed limit cannot.",
    source="https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html",
    bad="queues: [" + ", ".join(f"{{name: q{n:02}, node_groups: [h200]}}" for n in range(11)) + "]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def quotas(plan: Plan) -> Iterator[Problem]:
    for quota in (*plan.limits.quotas, plan.limits.tags):
        count = quota.count(plan)
        if count > quota.most:
            yield Problem(
                quota.place(plan) if callable(quota.place) else quota.place,
                f"{count:,} {quota.what}; the {_kind(quota.severity)} is {quota.most:,}",
                help=quota.help,
                severity=quota.severity,
                source=quota.source,
            )


def _kind(severity: str) -> str:
    return "maximum" if severity == "error" else "default quota"


@note(
    "LIM009",
    "Head node that the service runs",
    why="Some services run the controller or control plane themselves: you cannot choose the "
    "type or volume of a head node.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_clusters.html",
    target="eks",
    bad="head_node: {instance_type: m7i.4xlarge}",
    good="kubernetes: {system_nodes: {instance_type: m7i.xlarge}}",
)
def head_node(plan: Plan) -> Iterator[Problem]:
    theirs = ("head_node",) in plan.existing.owned
    if plan.target and plan.head is None and plan.wrote("head_node") and not theirs:
        yield Problem(
            ("head_node",),
            f"{plan.limits.title or plan.target} runs the controller; this section has no effect",
            help="keep it for other targets, or remove it",
            on_key=True,
            source=plan.limits.runs_controller,
            unused=True,
        )


@note(
    "LIM010",
    "Retention that CloudWatch Logs does not offer",
    why="CloudWatch Logs keeps logs for certain numbers of days, or forever. clustergen uses the "
    "next longer time.",
    source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    target="eks",
    bad="monitoring: {log_retention: 45d}",
)
def log_retention(plan: Plan) -> Iterator[Problem]:
    allowed, days = plan.limits.retention_days, plan.monitoring.log_retention_days
    if not allowed or not days or days in allowed:
        return
    kept, path = f"{retention(days, allowed)}d", ("monitoring", "log_retention")
    message = f"CloudWatch keeps logs for {kept}, not {days}d"
    yield Problem(path, message, help=f"write {kept}", fix=safe(put(path, kept)))


@rule(
    "LIM011",
    "Tag without a value",
    why="Add-ons of EKS have the tags of the cluster, and take none without a value.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-eks-addon-tag.html",
    target="eks",
    bad="tags: {note: ''}",
)
def empty_tags(plan: Plan) -> Iterator[Problem]:
    for key, value in plan.tags.items() if plan.limits.empty_tags else ():
        if not value:
            yield Problem(
                ("tags", key),
                f"the tag {key} has no value",
                help="write 'true', or remove it",
                fix=unsafe(put(("tags", key), "true")),
                source=plan.limits.empty_tags,
            )


@rule(
    "LIM004",
    "Node group larger than its maximum size",
    why="A group of the service has a maximum size.",
    source="https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html",
    target="eks",
    bad="node_groups: [{name: h200, instance_type: m7i.xlarge, count: 451}]",
    good="node_groups: [{name: h200, instance_type: m7i.xlarge, count: 450}]",
)
def group_size(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.group_size
    if limit is None:
        return
    by_karpenter = plan.kubernetes.autoscaler == "karpenter" and not limit.karpenter
    for group in plan.node_groups:
        if group.max > limit.most and not (by_karpenter and not group.static):
            yield Problem(
                group.at("count"),
                f"{group.max:,} nodes in {group.name}; the {_kind(limit.severity)} is "
                f"{limit.most:,}",
                help=f"write {limit.most} or less, and a second group",
                severity=limit.severity,
                source=limit.source,
            )

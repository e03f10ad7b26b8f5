"""Queues as quotas of HyperPod task governance: what of them it cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Plan, Queue
from clustergen.targets.hyperpod_eks import governance, limits
from clustergen.targets.hyperpod_eks import governance_limits as accepted

_TARGET = "hyperpod-eks"
_BASE = "targets: {hyperpod-eks: {eks_cluster: new}}"
_ELEVEN = ", ".join(
    f"{{name: q{number}, node_groups: [h200], priority: {number}}}" for number in range(11)
)
_SIXTEEN = [f"{family}.{size}" for family in ("m5", "m6i") for size in
            ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge",
             "24xlarge")]  # fmt: skip
_GROUPS = ", ".join(
    f"{{name: g{number}, instance_type: {type}, count: 1}}" for number, type in enumerate(_SIXTEEN)
)
_NAMES = [f"g{number}" for number in range(len(_SIXTEEN))]

CLASSES = Rule(
    code="K8S421",
    title="Too many priorities",
    why="The policy of a cluster has at most 10 priority classes; a queue with a priority is one.",
    source=accepted.SCHEDULER,
    target=_TARGET,
    bad=f"{_BASE}\nqueues: [{_ELEVEN}]",
    good=f"{_BASE}\nqueues: [{_ELEVEN.replace(', priority: 0', '')}]",
)
SCALED = Rule(
    code="K8S422",
    title="Priorities beyond the weights of task governance",
    why="A weight is from 0 to 100; higher priorities are scaled down, so that their order stays.",
    source=accepted.SCHEDULER,
    severity=Severity.NOTE,
    target=_TARGET,
    bad=f"{_BASE}\nqueues: [{{name: train, node_groups: [h200], priority: 1000}}]",
    good=f"{_BASE}\nqueues: [{{name: train, node_groups: [h200], priority: 100}}]",
)
TYPES = Rule(
    code="K8S423",
    title="Queue of too many instance types",
    why="A quota names at most 15 instance types or kinds of partitions.",
    source=accepted.QUOTA,
    target=_TARGET,
    bad=f"{_BASE}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_NAMES)}]}}]",
    good=f"{_BASE}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_NAMES[1:])}]}}]",
)
PARTITION = Rule(
    code="K8S424",
    title="Partitions that a quota cannot count",
    why="Quotas know some profiles of MIG only; jobs that ask for others would wait for ever.",
    source=accepted.PARTITION,
    target=_TARGET,
    bad=f"{_BASE}\nnode_groups: [{{name: h200, instance_type: p6-b300.48xlarge, "
    "mig: {1g.34gb: 7}}]",
    good=f"{_BASE}\nkubernetes: {{admission: none}}\nnode_groups: [{{name: h200, "
    "instance_type: p6-b300.48xlarge, mig: {1g.34gb: 7}}]",
)
LEFT = Rule(
    code="K8S425",
    title="Setting of a queue that a quota has no place for",
    why="A quota says what a team may use and borrow, and how it shares; nothing of single jobs.",
    source=limits.TASK_GOVERNANCE,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"{_BASE}\nqueues: [{{name: train, node_groups: [h200], time_limit: 7d}}]",
    good=f"{_BASE}\nqueues: [{{name: train, node_groups: [h200]}}]",
)
RULES = (CLASSES, SCALED, TYPES, PARTITION, LEFT)

_INSTEAD = {
    "time_limit": "write activeDeadlineSeconds, or runPolicy.activeDeadlineSeconds, into each job",
    "exclusive": "let pods ask for all accelerators of a node, as the tests in smoke/ do",
    "default": "each job names its queue: kueue.x-k8s.io/queue-name: hyperpod-ns-{}-localqueue",
}


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    if not governance.wanted(plan):
        return
    for queue in plan.queues:
        yield from _queue(plan, queue)
    yield from _priorities(plan)


def _queue(plan: Plan, queue: Queue) -> Iterator[Finding]:
    kinds = list(governance.resources(plan, queue))
    if len(kinds) > accepted.MAX_RESOURCES:
        yield TYPES.at(
            queue.at("node_groups"),
            f"{queue.name} has {len(kinds)} instance types or partitions, a quota "
            f"{accepted.MAX_RESOURCES}",
            help="make two queues of it, with a part of the groups each",
        )
    yield from _partitions(queue)
    for field, instead in _INSTEAD.items():
        if plan.wrote(*queue.at(field)) and getattr(queue, field):
            yield LEFT.at(
                queue.at(field),
                f"{field} of {queue.name} is left out: quotas have no such setting",
                help=instead.format(queue.name),
            )


def _partitions(queue: Queue) -> Iterator[Finding]:
    for group in queue.node_groups:
        for profile in sorted(set(group.mig) - accepted.PARTITIONS):
            yield PARTITION.at(
                group.at("mig"),
                f"a quota cannot count partitions of {profile}",
                help="write kubernetes: {admission: none}, and install Kueue with quotas of your "
                "own; or leave the GPUs whole",
            )


def _priorities(plan: Plan) -> Iterator[Finding]:
    scaled = governance.weights(plan)
    if len(scaled) > accepted.MAX_CLASSES:
        yield CLASSES.at(
            ("queues",),
            f"{len(scaled)} queues have a priority, task governance takes {accepted.MAX_CLASSES}",
            help="leave priority out where a queue comes last",
        )
    for queue in plan.queues:
        if queue.priority is not None and queue.priority != scaled[queue.name]:
            yield SCALED.at(
                queue.at("priority"),
                f"priority {queue.priority} of {queue.name} becomes the weight "
                f"{scaled[queue.name]}",
                help=f"write priorities from 0 to {accepted.MAX_WEIGHT} to choose the weights "
                "yourself",
            )

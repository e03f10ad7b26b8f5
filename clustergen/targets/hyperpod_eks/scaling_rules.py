"""Nodes that are started on demand, which on HyperPod is Karpenter's work."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.hyperpod_eks import karpenter, limits
from clustergen.targets.hyperpod_eks.cluster_rules import EXAMPLE
from clustergen.targets.hyperpod_eks.karpenter import Pool

_TARGET = "hyperpod-eks"
_KARPENTER = f"{EXAMPLE}\nkubernetes: {{autoscaler: karpenter}}"
_ELEVEN = [f"g{number}" for number in range(11)]
_GROUPS = ", ".join(
    f"{{name: {n}, instance_type: m7i.4xlarge, count: {{max: 1}}}}" for n in _ELEVEN
)
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/large"

UNSCALED = Rule(
    code="CAP400",
    title="Nodes on demand without an autoscaler",
    why="A node group of HyperPod has one number of instances; only Karpenter changes it for pods.",
    source=limits.SCALING,
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
PLANNED = Rule(
    code="CAP401",
    title="Training plan in a group that Karpenter scales",
    why="Karpenter starts On-Demand and Spot instances; a training plan is paid for whether its "
    "instances run or not.",
    source=limits.NODE_CLASS,
    target=_TARGET,
    bad=f"""{_KARPENTER}
node_groups: [{{name: h200, capacity: {{training_plan: '{_PLAN}'}}, count: {{max: 4}}}}]""",
    good=f"""{_KARPENTER}
node_groups:
  - {{name: h200, capacity: {{training_plan: '{_PLAN}'}}, count: 4}}
  - {{name: cpu, instance_type: m7i.4xlarge, count: {{max: 4}}}}""",
)
CHECKED = Rule(
    code="CAP402",
    title="Deep health checks in a group that Karpenter scales",
    why="They take an hour or more, while the pods wait and Karpenter starts still more nodes.",
    source=limits.NODE_CLASS,
    target=_TARGET,
    bad=f"""{_KARPENTER}
node_groups: [{{name: h200, health_checks: [instance-stress], count: {{max: 4}}}}]""",
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, health_checks: [gpu], count: {{max: 4}}}}]",
)
IDLE = Rule(
    code="CAP403",
    title="Autoscaler without anything to scale",
    why="Karpenter scales the groups whose minimum and maximum differ; the others stay as they "
    "are.",
    source=limits.NODE_CLASS,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=_KARPENTER,
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{max: 4}}}}]",
)
MANY = Rule(
    code="LIM401",
    title="Too many groups for Karpenter to choose from",
    why="A node class has at most 10 groups; a queue becomes one.",
    source=limits.NODE_CLASS,
    target=_TARGET,
    bad=f"{_KARPENTER}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_ELEVEN)}]}}]",
    good=f"{_KARPENTER}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_ELEVEN[:10])}]}}]",
)
UNLIKE = Rule(
    code="K8S414",
    title="Groups of one queue with different taints",
    why="Karpenter chooses among the groups of a queue, and has to know which pods their nodes "
    "take before it has chosen.",
    source=limits.NODE_POOL,
    target=_TARGET,
    bad=f"""{_KARPENTER}
node_groups:
  - {{name: h200, count: {{max: 4}}, taints: [{{key: training}}]}}
  - {{name: h100, instance_type: p5.48xlarge, count: {{max: 4}}}}
queues: [{{name: train, node_groups: [h200, h100]}}]""",
    good=f"""{_KARPENTER}
node_groups:
  - {{name: h200, count: {{max: 4}}, taints: [{{key: training}}]}}
  - {{name: h100, instance_type: p5.48xlarge, count: {{max: 4}}, taints: [{{key: training}}]}}
queues: [{{name: train, node_groups: [h200, h100]}}]""",
)
PARTITIONED = Rule(
    code="CAP404",
    title="MIG partitions in a group that Karpenter scales",
    why="Karpenter knows how many GPUs an instance type has, and of partitions nothing before a "
    "node is there: a pod that asks for one starts no node. Nodes that come with the label have "
    "also been seen to take it for done.",
    source="https://github.com/NVIDIA/gpu-operator/issues/2670",
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"{_KARPENTER}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}, count: {{max: 4}}}}]",
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}, count: 4}}, "
    "{name: cpu, instance_type: m7i.4xlarge, count: {max: 4}}]",
)
RULES = (UNSCALED, PLANNED, CHECKED, IDLE, MANY, UNLIKE, PARTITIONED)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for group in plan.node_groups:
        if not group.static:
            yield from _scaled(group) if karpenter.on(plan) else [_unscaled(group)]
    if not karpenter.on(plan):
        return
    if all(group.static for group in plan.node_groups):
        yield IDLE.at(
            ("kubernetes", "autoscaler"),
            "every node group has a fixed number of nodes",
            help="write count: {min: 0, max: N} where nodes may come and go",
        )
    for pool in karpenter.pools(plan):
        yield from _pool(plan, pool)


def _unscaled(group: NodeGroup) -> Finding:
    return UNSCALED.at(
        group.at("count"),
        f"nothing starts nodes of {group.name} beyond {group.min} on demand",
        help=f"write kubernetes.autoscaler: karpenter, or count: {group.max}",
    )


def _scaled(group: NodeGroup) -> Iterator[Finding]:
    if group.capacity.kind == "training-plan":
        yield PLANNED.at(
            group.at("capacity"),
            f"{group.name} has a training plan and a number of nodes that changes",
            help=f"write count: {group.max}",
        )
    if group.mig:
        yield PARTITIONED.at(
            group.at("mig"),
            f"no pod that asks for a part of a GPU starts a node of {group.name}",
            help=f"write count: {group.max}",
        )
    if deep := [check for check in group.health_checks if check != "gpu"]:
        yield CHECKED.at(
            group.at("health_checks"),
            f"{', '.join(deep)} would keep the pods waiting for {group.name}",
            help=f"leave them out, or write count: {group.max}",
        )


def _pool(plan: Plan, pool: Pool) -> Iterator[Finding]:
    queue = next((q for q in plan.queues if q.name == pool.name and plan.wrote(*q.path)), None)
    path = queue.at("node_groups") if queue else pool.groups[0].path
    if len(pool.groups) > limits.MAX_NODE_CLASS_GROUPS:
        yield MANY.at(
            path,
            f"{len(pool.groups)} groups that Karpenter scales in {pool.name}, of "
            f"{limits.MAX_NODE_CLASS_GROUPS} at the most",
            help="put types that are alike into one group, as instance_types; or add a queue",
        )
    other = next((group for group in pool.groups if group.taints != pool.taints), None)
    if other:
        yield UNLIKE.at(
            path,
            f"{pool.groups[0].name} and {other.name} of {pool.name} have different taints",
            help="give them the same taints, or queues of their own",
        )

"""Node groups scaled by Karpenter."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, drop, put, safe, unsafe
from clustergen.plan.model import Plan
from clustergen.services.kubernetes.karpenter import groups, is_on, with_partitions, without_minimum
from clustergen.targets.hyperpod_eks import karpenter, limits
from clustergen.targets.hyperpod_eks.karpenter import Pool
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, KARPENTER, rule, warning

_ELEVEN = [f"g{number}" for number in range(11)]
_GROUPS = ", ".join(
    f"{{name: {n}, instance_type: m7i.4xlarge, count: {{max: 1}}}}" for n in _ELEVEN
)
_ROLE = "arn:aws:iam::111122223333:role/autoscaler"
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/large"


@rule(
    "CAP401",
    "Training plan in a group that Karpenter scales",
    why="Karpenter starts On-Demand and Spot instances; you pay for a training plan whether its "
    "instances run or not.",
    source=limits.NODE_CLASS,
    bad=f"""{KARPENTER}
node_groups: [{{name: h200, capacity: {{training_plan: '{_PLAN}'}}, count: {{max: 4}}}}]""",
)
def training_plan(plan: Plan) -> Iterator[Problem]:
    for group in groups(plan):
        if group.capacity.kind == "training-plan":
            yield Problem(
                group.at("capacity"),
                f"{group.name} has a training plan and a changing number of nodes",
                help=f"write count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
            )


@rule(
    "CAP402",
    "Deep health checks in a group that Karpenter scales",
    why="They take an hour or more, while the pods wait and Karpenter starts even more nodes.",
    source=limits.NODE_CLASS,
    bad=f"""{KARPENTER}
node_groups: [{{name: h200, health_checks: [instance-stress], count: {{max: 4}}}}]""",
)
def deep_health_checks(plan: Plan) -> Iterator[Problem]:
    for group in groups(plan):
        if deep := [check for check in group.health_checks if check != "gpu"]:
            yield Problem(
                group.at("health_checks"),
                f"{', '.join(deep)} would keep the pods waiting for {group.name}",
                help=f"remove them, or write count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
            )


@warning(
    "CAP404",
    "MIG partitions in a group that Karpenter scales",
    why="Karpenter knows how many GPUs an instance type has, but nothing about partitions before a "
    "node exists: a pod that asks for one starts no node. On some nodes that start with the label, "
    "the GPUs also stay unpartitioned.",
    source="https://github.com/NVIDIA/gpu-operator/issues/2670",
    bad=f"{KARPENTER}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}, count: {{max: 4}}}}]",
)
def partitions(plan: Plan) -> Iterator[Problem]:
    return with_partitions(groups(plan))


@rule(
    "CAP405",
    "Minimum of nodes in a group that Karpenter scales",
    why="Karpenter starts at zero nodes and removes those that it did not start.",
    source=limits.NODE_CLASS,
    bad=f"{KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 1, max: 4}}}}]",
)
def minimum(plan: Plan) -> Iterator[Problem]:
    return without_minimum(groups(plan))


@rule(
    "LIM401",
    "Too many groups for Karpenter to choose from",
    why="A node class has at most 10 groups; a queue becomes one node class.",
    source=limits.NODE_CLASS,
    bad=f"{KARPENTER}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_ELEVEN)}]}}]",
    good=f"{KARPENTER}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_ELEVEN[:10])}]}}]",
)
def number(plan: Plan) -> Iterator[Problem]:
    for pool in karpenter.pools(plan):
        if len(pool.groups) > limits.MAX_NODE_CLASS_GROUPS:
            yield Problem(
                _path(plan, pool),
                f"{len(pool.groups)} groups for Karpenter in {pool.name}, but "
                f"{limits.MAX_NODE_CLASS_GROUPS} at most",
                help="put similar types into one group, as instance_types; or add a queue",
            )


@rule(
    "K8S414",
    "Groups of one queue with different taints",
    why="Karpenter chooses among the groups of a queue, and has to know which pods their nodes "
    "accept before it chooses.",
    source=limits.NODE_POOL,
    bad=f"""{KARPENTER}
node_groups:
  - {{name: h200, count: {{max: 4}}, taints: [{{key: training}}]}}
  - {{name: h100, instance_type: p5.48xlarge, count: {{max: 4}}}}
queues: [{{name: train, node_groups: [h200, h100]}}]""",
    good=f"""{KARPENTER}
node_groups:
  - {{name: h200, count: {{max: 4}}, taints: [{{key: training}}]}}
  - {{name: h100, instance_type: p5.48xlarge, count: {{max: 4}}, taints: [{{key: training}}]}}
queues: [{{name: train, node_groups: [h200, h100]}}]""",
)
def taints(plan: Plan) -> Iterator[Problem]:
    for pool in karpenter.pools(plan):
        other = next((group for group in pool.groups if pool.taints_of(group) != pool.taints), None)
        if other:
            yield Problem(
                _path(plan, pool),
                f"{pool.groups[0].name} and {other.name} of {pool.name} have different taints",
                help="give them the same taints, or queues of their own",
            )


def _path(plan: Plan, pool: Pool) -> Path:
    queue = next((q for q in plan.queues if q.name == pool.name and plan.wrote(*q.path)), None)
    return queue.at("node_groups") if queue else pool.groups[0].path


@warning(
    "IAM401",
    "Role of an autoscaler that the cluster does not have",
    why="HyperPod uses this role to add and remove nodes for Karpenter, and for nothing else.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-iam.html",
    bad=f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', cluster_role: '{_ROLE}'}}}}",
)
def unused_role(plan: Plan) -> Iterator[Problem]:
    path = ("targets", "hyperpod-eks", "cluster_role")
    if plan.options_as(Options).cluster_role and not is_on(plan):
        yield Problem(
            path,
            "the cluster has no autoscaler that would use this role",
            help="remove it, or write kubernetes.autoscaler: karpenter",
            fix=safe(drop(path)),
        )

"""Queues of Volcano and KAI, in clusters that use them, and priority classes."""

from collections.abc import Iterator, Mapping, Sequence

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.kubernetes import capacity, claims, kueue, names
from clustergen.services.kubernetes.manifest import kubernetes_object

VOLCANO_API = "scheduling.volcano.sh/v1beta1"
KAI_API = "scheduling.run.ai/v2"
_NO_LIMIT = -1


def objects(plan: Plan) -> Iterator[Json]:
    """The queues of the cluster's additional scheduler."""
    if plan.kubernetes.scheduler == "volcano":
        yield from (_volcano(plan, queue) for queue in plan.queues)
    if plan.kubernetes.scheduler == "kai":
        root = names.of_bundle(plan, names.KAI_ROOT)
        yield _kai(root, plan, plan.node_groups, {})
        for queue in plan.queues:
            yield _kai(queue.name, plan, queue.node_groups, _kai_place(queue, root))


def priorities(plan: Plan) -> Iterator[Json]:
    """Priority classes of pods, for clusters without Kueue. None preempts running pods."""
    if kueue.is_on(plan):
        return
    for queue in plan.queues:
        if queue.priority is not None:
            yield kubernetes_object(
                "scheduling.k8s.io/v1",
                "PriorityClass",
                queue.name,
                value=queue.priority,
                preemptionPolicy="Never",
                description=f"Jobs of the queue {queue.name}",
            )


def total(plan: Plan, groups: Sequence[NodeGroup]) -> Mapping[str, int]:
    """The total capacity of groups."""
    found: dict[str, int] = {}
    for group in groups:
        for name, amount in capacity.group_capacity(plan, group).items():
            found[name] = found.get(name, 0) + amount
    return found


def _volcano(plan: Plan, queue: Queue) -> Json:
    """https://volcano.sh/en/docs/queue/ (2026-09)"""
    held = total(plan, queue.node_groups)
    spec: Json = {
        "weight": max(queue.priority or 1, 1),
        "reclaimable": False,
        "capability": {name: capacity.quantity(name, amount) for name, amount in held.items()},
    }
    if queue.priority is not None:
        spec["priority"] = queue.priority
    return kubernetes_object(VOLCANO_API, "Queue", queue.name, spec=spec)


def _kai(name: str, plan: Plan, groups: Sequence[NodeGroup], place: Json) -> Json:
    """Quotas in millicores, MB and GPUs; the rest is shared on demand.

    https://github.com/kai-scheduler/KAI-Scheduler/tree/main/docs/queues (2026-07)
    """
    held = total(plan, groups)
    amounts = {
        "cpu": held["cpu"] * 1000,
        "memory": held["memory"] * 1024**2 // 1000**2,
        "gpu": _kai_gpus(plan, groups),
    }
    resources = {
        kind: {"quota": amount, "limit": amount, "overQuotaWeight": 1}
        for kind, amount in amounts.items()
    }
    return kubernetes_object(KAI_API, "Queue", name, spec={**place, "resources": resources})


def _kai_gpus(plan: Plan, groups: Sequence[NodeGroup]) -> int:
    """Number of GPUs; KAI counts partitions as fractions. It does not count claims: no limit."""
    if claims.is_on(plan):
        return _NO_LIMIT
    return sum(max(type.gpus for type in group.types) * group.max for group in groups)


def _kai_place(queue: Queue, root: str) -> Json:
    priority = {} if queue.priority is None else {"priority": queue.priority}
    return {"parentQueue": root, **priority}

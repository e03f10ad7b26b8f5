"""Namespaces of users: one for each queue, or default."""

from __future__ import annotations

from clustergen.artifacts import Json
from clustergen.kubernetes.manifest import kubernetes_object
from clustergen.plan.model import NodeGroup, Plan, Queue

DEFAULT = "default"


def all_namespaces(plan: Plan) -> tuple[str, ...]:
    """The namespaces for jobs, volumes and claims."""
    if not _by_queue(plan):
        return (DEFAULT,)
    return tuple(queue.name for queue in plan.queues)


def queue_of(plan: Plan, group: NodeGroup) -> Queue | None:
    """The queue for tests of a group: the first that has it."""
    if not _by_queue(plan):
        return None
    return next((queue for queue in plan.queues if group in queue.node_groups), None)


def group_namespace(plan: Plan, group: NodeGroup) -> str:
    """The namespace for tests of a group."""
    queue = queue_of(plan, group)
    return queue.name if queue else all_namespaces(plan)[0]


def groups_of(plan: Plan, namespace: str) -> tuple[NodeGroup, ...]:
    """The node groups that jobs of a namespace can use."""
    queue = next((queue for queue in plan.queues if queue.name == namespace), None)
    return queue.node_groups if queue and _by_queue(plan) else plan.node_groups


def by_queue(plan: Plan) -> dict[str, str]:
    """Queue -> the namespace of its jobs."""
    own = _by_queue(plan)
    return {queue.name: queue.name if own else DEFAULT for queue in plan.queues}


def objects(plan: Plan) -> tuple[Json, ...]:
    """The namespaces to create."""
    made = (name for name in all_namespaces(plan) if name != DEFAULT)
    return tuple(kubernetes_object("v1", "Namespace", name) for name in made)


def _by_queue(plan: Plan) -> bool:
    """Whether each queue has a namespace."""
    kubernetes = plan.kubernetes
    return kubernetes.admission == "kueue" or kubernetes.scheduler != "default"

"""Namespaces of users: one for each queue, or default."""

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.kubernetes.manifest import kubernetes_object

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
    """The node groups that jobs of a namespace can use, and those that have their tests there."""
    queue = next((queue for queue in plan.queues if queue.name == namespace), None)
    if not queue or not _by_queue(plan):
        return plan.node_groups
    return tuple(
        group
        for group in plan.node_groups
        if group in queue.node_groups or group_namespace(plan, group) == namespace
    )


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

"""Pod settings to run on the nodes of a group, with its devices."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.kubernetes import (
    capacity,
    claims,
    components,
    kueue,
    labels_and_taints,
    names,
    namespaces,
)

Placed = Callable[[Plan, NodeGroup], Json]
"""Members of a pod that restrict it to the nodes of a group."""


def placed(plan: Plan, group: NodeGroup) -> Json:  # noqa: ARG001 others use the plan
    """Node selector and tolerations for the nodes of a group."""
    selector = {"nodeSelector": {labels_and_taints.NODE_GROUP_LABEL: group.name}}
    return on_nodes(selector, labels_and_taints.taints(group))


def on_nodes(selecting: Json, taints: Iterable[Taint]) -> Json:
    """Members of a pod that select nodes, and those with which it tolerates their taints."""
    tolerations = [components.toleration(taint) for taint in taints]
    return {
        **selecting,
        **({"tolerations": tolerations} if tolerations else {}),
        "automountServiceAccountToken": False,
    }


@dataclass(frozen=True, slots=True)
class PodResources:
    """The resources of a pod: members of the container and of the pod."""

    container: Json
    pod: Json


def resources(
    plan: Plan, group: NodeGroup, devices: Mapping[str, int], **sizes: str
) -> PodResources:
    """Devices by number or by claims; ``sizes`` are others, such as memory="32000Mi"."""
    if claims.is_on(plan):
        templates = claims.names_of(group, devices)
        used = {"claims": [{"name": name} for name in templates]} if templates else {}
        pod = [{"name": name, "resourceClaimTemplateName": name} for name in templates]
        return PodResources(
            {"resources": {**amounts(sizes), **used}}, {"resourceClaims": pod} if pod else {}
        )
    counted = {name: str(count) for name, count in devices.items()}
    return PodResources({"resources": amounts({**counted, **sizes})}, {})


def whole_node(plan: Plan, group: NodeGroup, memory_mib: int) -> PodResources:
    """All devices of a node, and huge pages for the buffers of libfabric."""
    pages = {names.HUGE_PAGES: f"{names.HUGE_PAGES_OF_A_POD_MIB}Mi"}
    huge = pages if capacity.huge_pages(plan, group) else {}
    return resources(plan, group, devices(group), memory=f"{memory_mib}Mi", **huge)


SHARED_MEMORY: Json = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
SHARED_MEMORY_MOUNT: Json = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108 a mount, not a file


def with_shared_memory(members: Json, taken: PodResources, container: Json) -> Json:
    """A pod with ``members``, whose one container has resources and memory that processes share."""
    whole = {**container, **taken.container, "volumeMounts": [SHARED_MEMORY_MOUNT]}
    return {**members, **taken.pod, "containers": [whole], "volumes": [SHARED_MEMORY]}


def amounts(wanted: Mapping[str, str]) -> Json:
    """Resources with equal requests and limits, as extended resources and huge pages require."""
    return {"limits": dict(wanted), "requests": dict(wanted)} if wanted else {}


def queue_labels(plan: Plan, group: NodeGroup) -> dict[str, str]:
    """Labels that put a job into the Kueue queue for the group's nodes."""
    queue = namespaces.queue_of(plan, group)
    if queue is None or not kueue.is_on(plan):
        return {}
    priority = {names.PRIORITY_LABEL: queue.name} if queue.priority is not None else {}
    return {names.QUEUE_LABEL: queue.name, **priority}


def template(plan: Plan, group: NodeGroup, spec: Json, *, queued: bool = True) -> Json:
    """A pod template for the cluster's scheduler; pods are close to each other if ``queued``."""
    metadata = _metadata(plan, group, queued=queued)
    return {**({"metadata": metadata} if metadata else {}), "spec": {**_scheduler(plan), **spec}}


_SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}


def _scheduler(plan: Plan) -> Json:
    name = _SCHEDULERS.get(plan.kubernetes.scheduler)
    return {"schedulerName": name} if name else {}


def _metadata(plan: Plan, group: NodeGroup, *, queued: bool) -> Json:
    """Labels and annotations: the scheduler's queue, and the topology request for Kueue."""
    queue = namespaces.queue_of(plan, group)
    if queue is None:
        return {}
    scheduler = plan.kubernetes.scheduler
    close = _close(plan, group) if queued and kueue.is_on(plan) else {}
    volcano = {names.VOLCANO_QUEUE: queue.name} if scheduler == "volcano" else {}
    return {
        **({"labels": {names.KAI_QUEUE: queue.name}} if scheduler == "kai" else {}),
        **({"annotations": {**close, **volcano}} if close or volcano else {}),
    }


def _close(plan: Plan, group: NodeGroup) -> dict[str, str]:
    """A preference for one node, then for nodes below the same switch, or as near as possible.

    All topologies have this level, so that a job can get any flavor of its queue.
    """
    return {names.PREFERRED_TOPOLOGY: names.HOST_LABEL} if kueue.topology(plan, group) else {}


def devices(group: NodeGroup, *, efa: bool = True) -> dict[str, int]:
    """All accelerators and EFA interfaces of a node."""
    interfaces = group.efa_interfaces if efa else 0
    return {
        **capacity.accelerators(group),
        **({names.EFA_RESOURCE: interfaces} if interfaces else {}),
    }

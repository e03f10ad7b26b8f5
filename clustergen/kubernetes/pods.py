"""Settings with which the pods of a job run on the nodes of a group, with its devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from clustergen.artifacts import Json
from clustergen.kubernetes import (
    capacity,
    claims,
    components,
    kueue,
    labels_and_taints,
    names,
    namespaces,
)
from clustergen.plan.model import NodeGroup, Plan

Placed = Callable[[Plan, NodeGroup], Json]
"""Members of a pod that bind it to the nodes of a group."""


def placed(plan: Plan, group: NodeGroup) -> Json:  # noqa: ARG001 others go by the plan
    """The nodes of a group, whatever taints they have."""
    tolerations = [components.toleration(taint) for taint in labels_and_taints.taints(group)]
    return {
        "nodeSelector": {labels_and_taints.NODE_GROUP_LABEL: group.name},
        **({"tolerations": tolerations} if tolerations else {}),
        "automountServiceAccountToken": False,
    }


@dataclass(frozen=True, slots=True)
class Taking:
    """The resources of a pod: members of its container, and of the pod."""

    container: Json
    pod: Json


def taking(plan: Plan, group: NodeGroup, devices: Mapping[str, int], **sizes: str) -> Taking:
    """Devices by number, or by claims of them; ``sizes`` such as memory="32000Mi"."""
    if claims.is_on(plan):
        templates = claims.names_of(group, devices)
        used = {"claims": [{"name": name} for name in templates]} if templates else {}
        pod = [{"name": name, "resourceClaimTemplateName": name} for name in templates]
        return Taking(
            {"resources": {**amounts(sizes), **used}}, {"resourceClaims": pod} if pod else {}
        )
    counted = {name: str(count) for name, count in devices.items()}
    return Taking({"resources": amounts({**counted, **sizes})}, {})


def amounts(wanted: Mapping[str, str]) -> Json:
    """Extended resources and huge pages: the request is also the limit."""
    return {"limits": dict(wanted), "requests": dict(wanted)} if wanted else {}


def queue_labels(plan: Plan, group: NodeGroup) -> dict[str, str]:
    """Labels of a job that waits in a queue of Kueue for the group's nodes."""
    queue = namespaces.queue_of(plan, group)
    if queue is None or not kueue.is_on(plan):
        return {}
    priority = {names.PRIORITY_LABEL: queue.name} if queue.priority is not None else {}
    return {names.QUEUE_LABEL: queue.name, **priority}


def template(plan: Plan, group: NodeGroup, spec: Json, *, queued: bool = True) -> Json:
    """A template of pods that the cluster's scheduler starts, close to each other if ``queued``."""
    metadata = _metadata(plan, group, queued=queued)
    return {
        **({"metadata": metadata} if metadata else {}),
        "spec": {**_scheduler(plan), **spec},
    }


_SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}


def _scheduler(plan: Plan) -> Json:
    name = _SCHEDULERS.get(plan.kubernetes.scheduler)
    return {"schedulerName": name} if name else {}


def _metadata(plan: Plan, group: NodeGroup, *, queued: bool) -> Json:
    """The queue of the scheduler, and for Kueue how close the pods should be."""
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
    """As near to each other as can be had, one switch above the nodes at best."""
    topology = kueue.topology(plan, group)
    if topology is None:
        return {}
    near = names.NETWORK_LABELS[-1] if topology == kueue.NETWORK else names.HOST_LABEL
    return {names.PREFERRED_TOPOLOGY: near}


def devices(group: NodeGroup, *, efa: bool = True) -> dict[str, int]:
    """All accelerators of a node, and its EFA interfaces."""
    interfaces = group.efa_interfaces if efa else 0
    return {
        **capacity.accelerators(group),
        **({names.EFA_RESOURCE: interfaces} if interfaces else {}),
    }

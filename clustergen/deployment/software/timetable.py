"""What the timetable of an earlier bundle holds, where the spec has no dates any more."""

import json
from collections.abc import Iterator
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.software.model import CLUSTER_QUEUES, Software
from clustergen.deployment.world import at

_LOCAL: Final = "localqueues.kueue.x-k8s.io"
_WORKLOADS: Final = "workloads.kueue.x-k8s.io"


def release(api: Kubernetes, software: Software, own: str, nodes: str) -> None:
    """Release what has the mark of the timetable; what others hold has none, and stays held.

    Among other bundles, ``own`` selects the queues of this one, and ``nodes`` its nodes.
    """
    # The pod ends first: it would hold everything again.
    words = (software.timetable, "--namespace", "kube-system", "--cascade=foreground")
    api.delete("deployment", *words, minutes=5)
    mark, there = software.held, api.resources((CLUSTER_QUEUES, _WORKLOADS, "nodes"))
    for resource, selector, spec in (
        (CLUSTER_QUEUES, own, {"stopPolicy": "None"}),
        ("nodes", nodes, {"unschedulable": None}),
    ):
        patch = {"metadata": {"annotations": {mark: None}}, "spec": spec}
        for each in api.items(resource, *selected(selector)) if resource in there else []:
            if (at(each, "metadata.annotations") or {}).get(mark) == "yes":
                _patch(api, resource, each, patch)
    if _WORKLOADS in there:
        for each in _held_jobs(api, mark, own):
            active = {"metadata": {"labels": {mark: None}}, "spec": {"active": True}}
            _patch(api, _WORKLOADS, each, active)


def _held_jobs(api: Kubernetes, mark: str, own: str) -> Iterator[Json]:
    """Jobs that Kueue was ending, and that would wait for nobody now."""
    queues = api.everywhere(_LOCAL, *selected(own)) if own else []
    names = {(at(each, "metadata.namespace"), at(each, "metadata.name")) for each in queues}
    for each in api.everywhere(_WORKLOADS, *selected(f"{mark}=yes")):
        if not own or (at(each, "metadata.namespace"), at(each, "spec.queueName")) in names:
            yield each


def _patch(api: Kubernetes, resource: str, item: Json, patch: Json) -> None:
    metadata, text = item["metadata"], json.dumps(patch, separators=(",", ":"))
    place = ["--namespace", metadata["namespace"]] if "namespace" in metadata else []
    api.change("patch", resource, metadata["name"], *place, "--type", "merge", "--patch", text)


def selected(selector: str) -> list[str]:
    """Options of kubectl for a selector, which may be empty."""
    return ["--selector", selector] if selector else []

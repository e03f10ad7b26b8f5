"""What keeps jobs off nodes whose capacity has not started or is about to end: one pod.

Kueue does not know how long a job runs: at the checkpoint, queues of these nodes are held and nodes
are cordoned; then Kueue ends jobs as a whole, and they wait again. Pods that it does not manage are
evicted. All have some minutes to write a checkpoint.
https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#stoppolicy (2026-08)
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.base.resources import template
from clustergen.base.yaml_text import Lines
from clustergen.plan.images import PYTHON, pulled
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.timetable import timetable, timetables
from clustergen.services.kubernetes import karpenter, kueue
from clustergen.services.kubernetes.labels_and_taints import NODE_GROUP_LABEL
from clustergen.services.kubernetes.manifest import CONFINED, account, allow, kubernetes_object

NAME: Final = "timetable"
NAMESPACE: Final = "kube-system"
COMMENT: Final = ("Keeps jobs off nodes whose capacity has not started or is about to end.",)
MARK: Final = "clustergen.timetable/held"
"""The annotation of queues and nodes that the pod holds; what others hold stays held."""
EVICTION_MINUTES: Final = 5
"""Before nodes stop."""
PAUSED: Final = "clustergen.pause/policy"
"""The annotation of queues that deploy.sh holds during a pause, with their earlier policy."""

_FOLDER: Final = "/opt/clustergen"
_MAY: Final = [
    allow("", "nodes", "get list patch delete"),
    allow("", "pods", "get list"),
    allow("", "pods/eviction", "create"),
    allow("kueue.x-k8s.io", "clusterqueues cohorts", "get patch"),
    allow("kueue.x-k8s.io", "workloads", "list patch"),
]


def is_on(plan: Plan) -> bool:
    return any(True for _ in timetables(plan))


def objects(
    plan: Plan,
    placement: Json,
    *,
    label: str = NODE_GROUP_LABEL,
    queues: Iterable[Json] | None = None,
    name: str = NAME,
) -> Iterator[Json]:
    """All objects, in order of creation; ``placement`` has members of its pod that select a node.

    ``label`` is that of nodes with the name of their group, ``queues`` are the objects of Kueue,
    ``name`` is that of the objects.
    """
    if not is_on(plan):
        return
    script = template("kubernetes/timetable.py")
    made = list(queues if queues is not None else _queues(plan))
    text = json.dumps(configuration(plan, label, made), indent=1) + "\n"
    data = {"timetable.py": Lines(script), "timetable.json": Lines(text)}
    yield from account(name, NAMESPACE, _MAY, role=f"{NAMESPACE}-{name}")
    yield kubernetes_object("v1", "ConfigMap", name, namespace=NAMESPACE, data=data)
    spec = _deployment(plan, name, sha256(script + text)[:16], placement)
    yield kubernetes_object("apps/v1", "Deployment", name, namespace=NAMESPACE, spec=spec)


def of_bundle(plan: Plan) -> str:
    """The name of the pod of a bundle: an existing cluster may have those of several."""
    return NAME if plan.system else f"{NAME}-{plan.name}"


def configuration(plan: Plan, label: str, objects: Iterable[Json]) -> Json:
    """What the script reads."""
    made = list(objects)
    members = {queue.name: [group.name for group in queue.node_groups] for queue in plan.queues}
    return {
        "groups": [_group(plan, group, label) for group in plan.node_groups],
        "clusterqueues": [
            {**each, "groups": members[each["name"]]} for each in _of("ClusterQueue", made)
        ],
        "cohorts": list(_of("Cohort", made)),
    }


def _queues(plan: Plan) -> Iterable[Json]:
    return kueue.objects(plan) if kueue.is_on(plan) else ()


def _of(kind: str, objects: Iterable[Json]) -> Iterator[dict[str, Any]]:
    for item in objects:
        if item["kind"] == kind:
            quotas = item["spec"]["resourceGroups"]
            yield {"name": item["metadata"]["name"], "resourceGroups": quotas}


def _group(plan: Plan, group: NodeGroup, label: str) -> Mapping[str, Any]:
    times = timetable(plan, group)
    stop = times.stops if times else None
    return {
        "name": group.name,
        "flavor": kueue.flavor_name(plan, group),
        "label": label,
        "deletes": karpenter.is_karpenter(plan, group),
        "launch": _seconds(times.launches if times else None),
        "checkpoint": _seconds(times.checkpoint if times else None),
        "evict": _seconds(stop - timedelta(minutes=EVICTION_MINUTES) if stop else None),
        "stop": _seconds(stop),
    }


def _seconds(at: datetime | None) -> int:
    return int(at.timestamp()) if at else 0


def _deployment(plan: Plan, name: str, version: str, placement: Json) -> Json:
    # A changed script or table is a changed template, and so a new pod.
    own = {"app.kubernetes.io/name": name}
    labels = {**own, "app.kubernetes.io/version": version}
    container = {
        "name": NAME,
        "image": pulled(plan, PYTHON),
        "command": ["python3", f"{_FOLDER}/timetable.py", f"{_FOLDER}/timetable.json"],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": {**CONFINED, "runAsNonRoot": True, "runAsUser": 65534},
        "volumeMounts": [{"name": "files", "mountPath": _FOLDER, "readOnly": True}],
    }
    pod = {
        "serviceAccountName": name,
        "priorityClassName": "system-cluster-critical",
        **placement,
        "containers": [container],
        "volumes": [{"name": "files", "configMap": {"name": name}}],
    }
    return {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": own},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }

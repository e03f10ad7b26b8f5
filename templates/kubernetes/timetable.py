"""Keeps jobs off nodes whose capacity has not started or is about to end, every minute.

usage: timetable.py CONFIGURATION [--once]

The configuration has for each node group when its nodes are requested, when no job starts any more,
when its pods are evicted, and when its nodes stop (seconds since 1970; 0: unknown). A queue without
open groups is held; of other queues, the quota of closed groups is zero. Running it again changes
nothing, so it also undoes what a deployment has reset, and follows capacity that is extended.
"""

import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

MARK = "clustergen.timetable/held"
PAUSED = "clustergen.pause/policy"
FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
GONE = (404, 409, 429)
"""No longer there, changed meanwhile, or kept by a disruption budget: tried again in a minute."""
DRAIN_SECONDS = 120
"""Before pods are evicted. Kueue suspends their jobs meanwhile: an evicted pod is a failed one."""


Group = dict[str, Any]


class Api:
    """The API of the cluster, as the pod's service account."""

    def __init__(self, url: str | None = None) -> None:
        host = os.environ.get("KUBERNETES_SERVICE_HOST", "")
        port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        self.url = url or f"https://{f'[{host}]' if ':' in host else host}:{port}"
        self.context = None
        if self.url.startswith("https"):
            self.context = ssl.create_default_context(cafile=f"{FOLDER}/ca.crt")

    def call(self, method: str, path: str, body: Any = None) -> Any:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Content-Type": kind, "Accept": "application/json"}
        if self.context:
            with open(f"{FOLDER}/token", encoding="utf-8") as stream:  # it is replaced every hour
                headers["Authorization"] = f"Bearer {stream.read()}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=30, context=self.context) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code in GONE:
                return None
            raise

    def items(self, path: str, **selectors: str) -> list[Any]:
        query = urllib.parse.urlencode(selectors)
        return (self.call("GET", f"{path}?{query}") or {}).get("items", [])


def attempt(step: Callable[..., None], *values: Any) -> None:
    """Do one step of a pass. What the cluster rejects is logged; the other steps go on."""
    try:
        step(*values)
    except (OSError, ValueError) as error:
        named = [value.get("name", "") if isinstance(value, dict) else value for value in values]
        names = " ".join(name for name in named if isinstance(name, str) and name)
        print(f"timetable: {step.__name__} {names}: {error}", file=sys.stderr, flush=True)


def is_closed(group: Group, now: float) -> bool:
    """Whether no job may start on the nodes of a group."""
    return now < group["launch"] or bool(group["checkpoint"] and now >= group["checkpoint"])


def is_draining(group: Group, now: float) -> bool:
    """Whether Kueue has to end its jobs."""
    return bool(group["evict"] and now >= group["evict"] - DRAIN_SECONDS)


def is_ending(group: Group, now: float) -> bool:
    """Whether its pods have to go."""
    return bool(group["evict"] and now >= group["evict"])


def without(resource_groups: list[Any], closed: set[str]) -> list[Any]:
    """Quotas that are zero for closed groups."""
    return [
        {
            **each,
            "flavors": [
                {**flavor, "resources": [{**r, "nominalQuota": "0"} for r in flavor["resources"]]}
                if flavor["name"] in closed
                else flavor
                for flavor in each["flavors"]
            ],
        }
        for each in resource_groups
    ]


def follow_quotas(api: Api, kind: str, name: str, resource_groups: list[Any]) -> None:
    """Set the quotas of a queue or cohort, if they differ."""
    path = f"{KUEUE}/{kind}/{name}"
    found = api.call("GET", path)
    if found and found["spec"].get("resourceGroups") != resource_groups:
        api.call("PATCH", path, {"spec": {"resourceGroups": resource_groups}})


def follow_queue(api: Api, queue: Group, groups: dict[str, Group], now: float) -> None:
    """Hold a queue all of whose groups are closed; what others or a pause hold stays held."""
    own = [groups[name] for name in queue["groups"]]
    policy = "None"
    if all(is_closed(group, now) for group in own):
        policy = "HoldAndDrain" if all(is_draining(group, now) for group in own) else "Hold"
    path = f"{KUEUE}/clusterqueues/{queue['name']}"
    found = api.call("GET", path)
    if not found:
        return
    marks = found["metadata"].get("annotations") or {}
    if PAUSED in marks or (policy == "None" and MARK not in marks):
        return
    if policy != found["spec"].get("stopPolicy", "None"):
        mark = None if policy == "None" else "yes"
        metadata = {"annotations": {MARK: mark}}
        api.call("PATCH", path, {"metadata": metadata, "spec": {"stopPolicy": policy}})


def follow_workloads(api: Api, draining: set[str]) -> None:
    """End jobs on flavors that drain as a whole; a queue with other nodes is not drained.

    Kueue ends a workload that becomes inactive, without counting a failure. Once its pods are gone,
    it is active again, and waits for other nodes.
    https://kueue.sigs.k8s.io/docs/concepts/workload/#active (2026-08)
    """
    selectors = {} if draining else {"labelSelector": f"{MARK}=yes"}
    for each in api.items(f"{KUEUE}/workloads", **selectors):
        attempt(follow_workload, api, each["metadata"]["name"], each, draining)


def follow_workload(api: Api, name: str, workload: Group, draining: set[str]) -> None:
    """Make one workload inactive, or active again; what someone else deactivates stays so."""
    metadata, status = workload["metadata"], workload.get("status", {})
    path = f"{KUEUE}/namespaces/{metadata['namespace']}/workloads/{name}"
    held = MARK in (metadata.get("labels") or {})
    conditions = {each["type"]: each["status"] for each in status.get("conditions", [])}
    admission = status.get("admission") if conditions.get("Finished") != "True" else None
    if held and not admission:
        api.call("PATCH", path, {"metadata": {"labels": {MARK: None}}, "spec": {"active": True}})
    elif admission and not held and workload["spec"].get("active", True):
        sets = admission["podSetAssignments"]
        if draining & {flavor for each in sets for flavor in each.get("flavors", {}).values()}:
            body = {"metadata": {"labels": {MARK: "yes"}}, "spec": {"active": False}}
            api.call("PATCH", path, body)


def follow_nodes(api: Api, group: Group, now: float) -> None:
    """Cordon the nodes of a group, then evict their pods, then delete those of Karpenter."""
    for node in api.items("/api/v1/nodes", labelSelector=f"{group['label']}={group['name']}"):
        name = node["metadata"]["name"]
        attempt(cordon, api, name, node, bool(group["checkpoint"] and now >= group["checkpoint"]))
        if is_ending(group, now):
            attempt(evict_all, api, name)
        if group["deletes"] and group["stop"] and now >= group["stop"]:
            attempt(delete, api, name)


def cordon(api: Api, name: str, node: Group, closed: bool) -> None:
    """Cordon or release a node; what someone else has cordoned stays so."""
    path = f"/api/v1/nodes/{name}"
    held = (node["metadata"].get("annotations") or {}).get(MARK)
    if closed and not node.get("spec", {}).get("unschedulable"):
        metadata = {"annotations": {MARK: "yes"}}
        api.call("PATCH", path, {"metadata": metadata, "spec": {"unschedulable": True}})
    elif held and not closed:
        metadata = {"annotations": {MARK: None}}
        api.call("PATCH", path, {"metadata": metadata, "spec": {"unschedulable": None}})


def delete(api: Api, node: str) -> None:
    """Delete a node."""
    api.call("DELETE", f"/api/v1/nodes/{node}")


def evict_all(api: Api, node: str) -> None:
    """Ask the pods of a node to end: they get SIGTERM, and their grace period."""
    for pod in api.items("/api/v1/pods", fieldSelector=f"spec.nodeName={node}"):
        metadata = pod["metadata"]
        owners = {owner["kind"] for owner in metadata.get("ownerReferences", [])}
        if owners & {"DaemonSet", "Node"} or "deletionTimestamp" in metadata:
            continue
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            continue
        attempt(evict, api, metadata["namespace"], metadata["name"])


def evict(api: Api, namespace: str, name: str) -> None:
    """Ask one pod to end."""
    path = f"/api/v1/namespaces/{namespace}/pods/{name}/eviction"
    named = {"name": name, "namespace": namespace}
    api.call("POST", path, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": named})


def follow(api: Api, configuration: Group, now: float) -> None:
    """Make the cluster what it should be now."""
    groups = {group["name"]: group for group in configuration["groups"]}
    closed = {group["flavor"] for group in groups.values() if is_closed(group, now)}
    for kind in ("clusterqueues", "cohorts"):
        for each in configuration[kind]:
            wanted = without(each["resourceGroups"], closed)
            attempt(follow_quotas, api, kind, each["name"], wanted)
    for queue in configuration["clusterqueues"]:
        attempt(follow_queue, api, queue, groups, now)
    if configuration["clusterqueues"]:
        draining = {group["flavor"] for group in groups.values() if is_draining(group, now)}
        attempt(follow_workloads, api, draining)
    # Nodes of a group that no longer has dates may still be cordoned.
    for group in groups.values():
        attempt(follow_nodes, api, group, now)


def main(path: str, *options: str) -> None:
    with open(path, encoding="utf-8") as stream:
        configuration = json.load(stream)
    api = Api(os.environ.get("KUBERNETES_URL"))
    while True:
        follow(api, configuration, time.time())
        if "--once" in options:
            return
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])

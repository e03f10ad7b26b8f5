"""A test of file systems: two nodes write, and each reads the other's file."""

import shlex

from clustergen.base.artifacts import Artifact
from clustergen.base.resources import template
from clustergen.base.yaml_text import Lines
from clustergen.plan.images import AMAZON_LINUX, pulled
from clustergen.plan.model import NodeGroup, Plan, Storage
from clustergen.services.kubernetes import capacity, jobs, pods, volumes
from clustergen.services.kubernetes.pods import Placed
from clustergen.services.nodes.nccl import tested


def test(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    """One job for all file systems."""
    items = volumes.mountable(plan)
    nodes = min(tested(group), 2)
    # The owner's Kueue may hold every job that names no queue. Two pods of this size are never on
    # one node, where Kueue could put smaller ones.
    queued = not plan.creates_cluster and bool(pods.queue_labels(plan, group))
    vcpus = capacity.node_capacity(plan, group)[capacity.CPU] // 2 + 1 if queued else 1
    functions = template("kubernetes/file-systems.sh")
    script = "".join(_look(item, nodes) for item in items)
    container = {
        "name": "file-systems",
        "image": pulled(plan, AMAZON_LINUX),
        "command": ["bash", "-ec", Lines(f"{functions}{script}")],
        "env": [_RUN],
        "resources": pods.amounts({"cpu": str(vcpus), "memory": "1Gi"}),
        "volumeMounts": volumes.pod_mounts(plan, items),
    }
    pod = {
        **placed(plan, group),
        "containers": [container],
        "volumes": volumes.pod_volumes(plan, items),
    }
    mounts = ", ".join(item.mount for item in items)
    made = jobs.Test(
        f"{group.object_name}-file-systems", nodes, f"{mounts} from {nodes} nodes.", alone=queued
    )
    return jobs.job(plan, group, made, pod)


# Specific to this run of the job: files of earlier runs are ignored.
_RUN = {
    "name": "RUN",
    "valueFrom": {
        "fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/controller-uid']"}
    },
}


def _look(item: Storage, nodes: int) -> str:
    """The test of one file system: each pod writes a file that all others must see."""
    mount = shlex.quote(item.mount.rstrip("/") or "/")
    if volumes.read_only(item):
        return f"ls {mount} >/dev/null\necho {mount} is read\n"
    return f"read_and_write {mount} {nodes}\n"

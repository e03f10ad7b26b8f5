"""A test of file systems: two nodes write, and each reads the other's file."""

from __future__ import annotations

import shlex

from clustergen.artifacts import Artifact
from clustergen.kubernetes import capacity, jobs, nccl, pods, volumes
from clustergen.kubernetes.pods import Placed
from clustergen.plan.images import pulled
from clustergen.plan.model import NodeGroup, Plan, Storage
from clustergen.yaml_text import Lines


def test(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    """One job for all file systems."""
    items = volumes.mountable(plan)
    nodes = min(nccl.tested(group), 2)
    # The owner's Kueue may hold every job that names no queue. Two pods of this size are never on
    # one node, where Kueue could put smaller ones.
    queued = not plan.creates_cluster and bool(pods.queue_labels(plan, group))
    vcpus = capacity.node_capacity(plan, group)[capacity.CPU] // 2 + 1 if queued else 1
    script = "".join(_look(item, nodes) for item in items)
    container = {
        "name": "file-systems",
        "image": pulled(plan, jobs.IMAGE),
        "command": ["bash", "-ec", Lines(_FUNCTIONS + script)],
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
_FUNCTIONS = """\
wait_for() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if [ -e "$1" ]; then return 0; fi
    sleep 2
  done
  echo "$1 is not visible from here" >&2
  return 1
}
read_and_write() {
  local at="$1/.clustergen-test-$RUN" pods=$2 n
  mkdir -p "$at"
  head -c 4194304 /dev/urandom >"$at/$JOB_COMPLETION_INDEX"
  for ((n = 0; n < pods; n++)); do
    wait_for "$at/$n"
    cat "$at/$n" >/dev/null
  done
  : >"$at/done-$JOB_COMPLETION_INDEX"
  echo "$1: written, and read from all of $pods"
  if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
    for ((n = 0; n < pods; n++)); do wait_for "$at/done-$n"; done
    rm -rf "$at"
  fi
}
"""


def _look(item: Storage, nodes: int) -> str:
    """The test of one file system: each pod writes a file that all others must see."""
    mount = shlex.quote(item.mount.rstrip("/") or "/")
    if volumes.read_only(item):
        return f"ls {mount} >/dev/null\necho {mount} is read\n"
    return f"read_and_write {mount} {nodes}\n"

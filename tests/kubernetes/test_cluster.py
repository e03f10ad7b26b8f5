"""install.sh with the real kubectl and an API that remembers: a second run, and changed specs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from clustergen.kubernetes import pruning, timetable
from tests.checking import Fragments
from tests.kubernetes.clusters import Cluster, running
from tests.kubernetes.planned import files_of, plan_of
from tests.kubernetes.specs import SPECS
from tests.support import kubernetes_api


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running(tmp_path) as made:
        yield made


TWICE = ["smallest", "file systems of every kind", "Karpenter, Spot and a reservation", "KAI"]


@pytest.mark.parametrize("name", TWICE)
def test_a_second_run_changes_nothing(name: str, cluster: Cluster) -> None:
    done = cluster.install(SPECS[name])
    assert done.returncode == 0, done.stderr
    made = list(cluster.api.changes)
    assert made
    done = cluster.install(SPECS[name])
    assert done.returncode == 0, done.stderr
    assert cluster.api.changes == made


QUEUES = """
node_groups: [{name: h200}, {name: prep, instance_type: m7i.4xlarge, count: 3}]
queues:
  - {name: train, node_groups: [h200], priority: 10}
  - {name: prep, node_groups: [prep]}
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]
"""
FEWER = """
node_groups: [{name: h200}]
queues: [{name: train, node_groups: [h200]}]
"""


def test_removed_objects_are_deleted_except_namespaces(cluster: Cluster) -> None:
    assert cluster.install(QUEUES).returncode == 0
    assert cluster.api.names("clusterqueues.kueue.x-k8s.io") == {"train", "prep"}
    done = cluster.install(FEWER)
    assert done.returncode == 0, done.stderr
    for resource, names in (
        ("clusterqueues.kueue.x-k8s.io", {"train"}),
        ("localqueues.kueue.x-k8s.io", {"train"}),
        ("resourceflavors.kueue.x-k8s.io", {"h200"}),
        ("workloadpriorityclasses.kueue.x-k8s.io", set[str]()),
        ("persistentvolumes", set[str]()),
        ("persistentvolumeclaims", set[str]()),
    ):
        assert cluster.api.names(resource) == names
    assert "prep" in cluster.api.names("namespaces")
    assert "namespaces//prep" not in done.stderr
    assert "namespaces/prep is no longer in the bundle. It stays" in done.stderr


def test_a_node_pool_is_deleted_before_its_node_class(cluster: Cluster) -> None:
    assert cluster.install(SPECS["Karpenter, Spot and a reservation"]).returncode == 0
    assert {"karpenter", "karpenter-crd"} <= cluster.releases
    done = cluster.install("")
    assert done.returncode == 0, done.stderr
    assert cluster.releases == {"nvidia-device-plugin", "aws-efa-k8s-device-plugin", "kueue"}
    removals = [
        call for call in cluster.calls if "delete" in call or call.startswith("helm uninstall")
    ]
    kinds = [call.split()[2] for call in removals]
    assert kinds.index("nodepools.karpenter.sh") < kinds.index("ec2nodeclasses.karpenter.k8s.aws")
    assert kinds.index("ec2nodeclasses.karpenter.k8s.aws") < kinds.index("karpenter")
    assert "--wait=false" not in removals[0]


def test_removed_objects_may_be_deleted_before_the_stack_changes(cluster: Cluster) -> None:
    """Karpenter ends its nodes only as long as its role is there."""
    assert cluster.install(SPECS["Karpenter, Spot and a reservation"]).returncode == 0
    done = cluster.install("", "--prune")
    assert done.returncode == 0, done.stderr
    assert cluster.api.names("nodepools.karpenter.sh") == set()
    assert not any(" apply " in call or "helm upgrade" in call for call in cluster.calls)


def test_objects_of_others_are_kept(cluster: Cluster) -> None:
    key = ("clusterqueues.kueue.x-k8s.io", "", "other")
    other = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue",
             "metadata": {"name": "other"}}  # fmt: skip
    cluster.api.objects[key] = other
    assert cluster.install("").returncode == 0
    assert cluster.api.objects[key] == other


DATED = """
node_groups:
  - name: h200
    capacity:
      capacity_block: cr-0a1b2c3d4e5f67890
      starts: 2026-12-10T11:30:00Z
      ends: 2026-12-17T11:30:00Z
queues: [{name: train, node_groups: [h200], time_limit: 12h}]
"""


def test_what_the_timetable_held_is_released_with_its_dates(cluster: Cluster) -> None:
    assert cluster.install(DATED).returncode == 0
    queue = ("clusterqueues.kueue.x-k8s.io", "", "train")
    nodes = {name: ("nodes", "", name) for name in ("ours", "theirs")}
    for name, key in nodes.items():
        metadata = {"name": name, "annotations": {timetable.MARK: "yes"} if name == "ours" else {}}
        spec = {"unschedulable": True}
        cluster.api.objects[key] = {
            "kind": "Node",
            "apiVersion": "v1",
            "metadata": metadata,
            "spec": spec,
        }
    held = cluster.api.objects[queue]
    held["metadata"]["annotations"] = {timetable.MARK: "yes"}
    held["spec"]["stopPolicy"] = "HoldAndDrain"
    drained, theirs = (("workloads.kueue.x-k8s.io", "train", name) for name in ("job", "theirs"))
    for key, labels in ((drained, {timetable.MARK: "yes"}), (theirs, {})):
        cluster.api.objects[key] = {
            "kind": "Workload",
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "metadata": {"name": key[2], "namespace": "train", "labels": labels},
            "spec": {"active": False, "queueName": "train"},
        }
    # A second deployment does not interfere.
    assert cluster.install(DATED).returncode == 0
    assert cluster.api.objects[queue]["spec"]["stopPolicy"] == "HoldAndDrain"
    undated = DATED[: DATED.index("    capacity:")] + DATED[DATED.index("queues:") :]
    done = cluster.install(undated)
    assert done.returncode == 0, done.stderr
    assert "timetable" not in cluster.api.names("deployments.apps")
    released = cluster.api.objects[queue]
    assert released["spec"]["stopPolicy"] == "None"
    assert timetable.MARK not in released["metadata"]["annotations"]
    assert "unschedulable" not in cluster.api.objects[nodes["ours"]]["spec"]
    assert cluster.api.objects[nodes["theirs"]]["spec"] == {"unschedulable": True}
    job = cluster.api.objects[drained]
    assert (job["spec"]["active"], job["metadata"]["labels"]) == (True, {})
    assert cluster.api.objects[theirs]["spec"]["active"] is False
    # The pod ends first.
    [end] = [n for n, call in enumerate(cluster.calls) if "delete deployment timetable" in call]
    assert all(n > end for n, call in enumerate(cluster.calls) if " patch " in call)
    # Someone else holds the queue now.
    released["spec"]["stopPolicy"] = "Hold"
    assert cluster.install(undated).returncode == 0
    assert cluster.api.objects[queue]["spec"]["stopPolicy"] == "Hold"


QUEUED = """
kubernetes: {autoscaler: karpenter}
node_groups: [{name: burst, instance_type: g6e.12xlarge, capacity: spot, count: {min: 0, max: 8}}]
queues: [{name: train, node_groups: [burst]}, {name: other, node_groups: [burst]}]
"""


def test_a_pause_holds_queues_and_a_resume_restores_them(cluster: Cluster) -> None:
    assert cluster.install(QUEUED).returncode == 0
    queues = [("clusterqueues.kueue.x-k8s.io", "", name) for name in ("train", "other")]
    cluster.api.objects[queues[1]]["spec"]["stopPolicy"] = "Hold"
    script = dict(Fragments("eks").files(QUEUED))["deploy.sh"]

    here = "export KUBECONFIG=$HERE/kubeconfig; cluster=fake; await_suspension train other"

    def call(function: str) -> list[str]:
        cluster.functions(script, f"{here}\n{function} train\n{function} other")
        found = [cluster.api.objects[queue] for queue in queues if queue in cluster.api.objects]
        return [queue["spec"]["stopPolicy"] for queue in found]

    # An interrupted pause, or resume, is repeated.
    for _ in range(2):
        assert call("hold_queue") == ["HoldAndDrain", "HoldAndDrain"]
    for _ in range(2):
        assert call("release_queue") == ["None", "Hold"]
    # What someone else did meanwhile.
    cluster.api.objects[queues[0]]["spec"]["stopPolicy"] = "Hold"
    assert call("release_queue") == ["Hold", "Hold"]
    cluster.api.objects.pop(queues[0])
    assert call("hold_queue") == ["HoldAndDrain"]
    cluster.api.objects[queues[1]]["status"] = {"reservingWorkloads": 2}
    assert cluster.functions(script, f"sleep() {{ echo waits; exit; }}; {here}") == ["waits"]


@pytest.mark.parametrize("name", SPECS)
def test_every_object_can_be_pruned(name: str) -> None:
    script = files_of(SPECS[name])["install.sh"]
    for path, text in files_of(SPECS[name]).items():
        for item in yaml.safe_load_all(text) if path.startswith("manifests/") else ():
            assert item["metadata"]["labels"][pruning.LABEL] == pruning.owner(plan_of(SPECS[name]))
            assert f"\n{pruning.line(item)}\n" in script
            has_namespace = "namespace" in item["metadata"]
            assert has_namespace != (item["kind"] in kubernetes_api.CLUSTER_WIDE)

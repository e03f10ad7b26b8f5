"""Software with the real kubectl and an API that remembers: a second run, and changed specs."""

import base64
from collections.abc import Callable

import pytest
import yaml

from clustergen.base.artifacts import Json
from clustergen.deployment.kueue import Queues
from clustergen.deployment.software.objects import of
from clustergen.services.kubernetes import pruning, timetable
from tests.services.kubernetes.clusters import Cluster, install
from tests.services.kubernetes.planned import files_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.support import kubernetes_api
from tests.support.checking import Fragments
from tests.support.outcomes import rejected

pytestmark = pytest.mark.scenarios(20)


POOLS = "nodepools.karpenter.sh"
CLUSTER_QUEUES = "clusterqueues.kueue.x-k8s.io"
TWICE = ["smallest", "file systems of every kind", "Karpenter, Spot and a reservation", "KAI"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TWICE)
def test_a_second_run_changes_nothing(name: str, cluster: Cluster) -> None:
    install(cluster, SPECS[name])
    made = list(cluster.api.changes)
    assert made
    install(cluster, SPECS[name])
    assert cluster.api.changes == made
    # Objects of all kinds are listed at once: before anything changes, and at the end.
    lists = [call for call in cluster.calls if "--selector app.kubernetes.io/managed-by" in call]
    assert len(lists) == 2


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
    install(cluster, QUEUES)
    assert cluster.api.names(CLUSTER_QUEUES) == {"train", "prep"}
    said = install(cluster, FEWER)
    for resource, names in (
        (CLUSTER_QUEUES, {"train"}),
        ("localqueues.kueue.x-k8s.io", {"train"}),
        ("resourceflavors.kueue.x-k8s.io", {"h200"}),
        ("workloadpriorityclasses.kueue.x-k8s.io", set[str]()),
        ("persistentvolumes", set[str]()),
        ("persistentvolumeclaims", set[str]()),
    ):
        assert cluster.api.names(resource) == names
    assert "prep" in cluster.api.names("namespaces")
    assert "namespaces//prep" not in said
    assert "namespaces/prep is no longer in the bundle. It stays" in said


def test_a_node_pool_is_deleted_before_its_node_class(cluster: Cluster) -> None:
    install(cluster, SPECS["Karpenter, Spot and a reservation"])
    assert {"karpenter", "karpenter-crd"} <= cluster.releases
    install(cluster, "")
    assert cluster.releases == {"nvidia-device-plugin", "aws-efa-k8s-device-plugin", "kueue"}
    removals = [
        call for call in cluster.calls if "delete" in call or call.startswith("helm uninstall")
    ]
    order = [f"delete {POOLS}", "delete ec2nodeclasses.karpenter.k8s.aws", "uninstall karpenter"]
    done = dict.fromkeys(word for call in removals for word in order if word in call)
    assert [*done] == order
    assert "--wait=false" not in removals[0]


def test_removed_objects_may_be_deleted_before_the_stack_changes(cluster: Cluster) -> None:
    """Karpenter ends its nodes only as long as its role is there."""
    install(cluster, SPECS["Karpenter, Spot and a reservation"])
    (pool, *_) = cluster.api.names(POOLS)
    node = {"metadata": {"labels": {"karpenter.sh/nodepool": pool}}, "spec": {}}
    cluster.put("nodeclaims.karpenter.sh", f"{pool}-x7b2k", node)
    made = list(cluster.api.changes)
    rejected(cluster.install("", "--prune"), f"the node pool {pool} is no longer in the bundle")
    assert cluster.api.changes == made
    install(cluster, "", "--prune", "--allow-replacement")
    assert cluster.api.names(POOLS) == set()
    assert not any(" apply " in call or "helm upgrade" in call for call in cluster.calls)


QUEUE = "localqueues.kueue.x-k8s.io"


def pod(phase: str) -> Json:
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "fsx"}}
    return {"spec": {"volumes": [volume]}, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("resource", "item", "ended", "why"),
    [
        (QUEUE, {"status": {"pendingWorkloads": 10, "reservingWorkloads": 0}}, {}, "prep/prep"),
        (QUEUE, {"status": {"pendingWorkloads": 0, "reservingWorkloads": 2}}, {}, "prep/prep"),
        ("pods", pod("Running"), pod("Succeeded"), "prep/fsx is no longer in the bundle, and pods"),
        ("pods", pod("Pending"), pod("Failed"), "prep/fsx is no longer in the bundle, and pods"),
    ],
)
def test_what_jobs_use_is_not_deleted(
    resource: str, item: Json, ended: Json, why: str, cluster: Cluster
) -> None:
    install(cluster, QUEUES)
    there = cluster.api.objects.get((resource, "prep", "prep"), {})
    cluster.put(resource, "prep", there | item, "prep")
    rejected(cluster.install(FEWER), why, "Nothing was deleted", "--allow-replacement")
    assert cluster.api.names(CLUSTER_QUEUES) == {"train", "prep"}
    cluster.put(resource, "prep", there | ended, "prep")
    install(cluster, FEWER)
    assert cluster.api.names(CLUSTER_QUEUES) == {"train"}


OURS, OTHERS = "the authority of this cluster\n", "another authority\n"


def named(cluster: Cluster, endpoint: str, authority: str) -> None:
    """What AWS says of the bundle's cluster; the context is that of the cluster that runs."""
    cluster.api.kubeconfig(cluster.here / "another")
    data = base64.b64encode(OURS.encode()).decode()
    (cluster.here / "identity").write_text(f"{endpoint}\t{data}\n")
    data_of = {"data": {"ca.crt": authority}}
    cluster.put("configmaps", "kube-root-ca.crt", data_of, "kube-system")


@pytest.mark.parametrize("arguments", [(), ("--prune",)])
def test_a_context_of_another_cluster_changes_nothing(
    cluster: Cluster, arguments: tuple[str, ...]
) -> None:
    """Bundles that create their cluster share a label: what the other has would look left over."""
    install(cluster, QUEUES)
    made = list(cluster.api.changes)
    named(cluster, "https://0A1B.gr7.us-east-1.eks.amazonaws.com", OTHERS)
    rejected(cluster.install("", "--context", "fake", *arguments), "does not reach the EKS cluster")
    assert cluster.api.changes == made
    assert not [call for call in cluster.calls if call.startswith("helm")]


@pytest.mark.parametrize("tunnel", [False, True])
def test_a_context_reaches_the_cluster_also_through_a_tunnel(
    cluster: Cluster, tunnel: bool
) -> None:
    endpoint = "https://0A1B.gr7.us-east-1.eks.amazonaws.com" if tunnel else cluster.api.url
    named(cluster, endpoint, OURS if tunnel else OTHERS)
    install(cluster, "", "--context", "fake")
    assert cluster.api.changes


@pytest.mark.parametrize("context", [(), ("--context", "fake")])
def test_aws_without_an_answer_is_no_consent(cluster: Cluster, context: tuple[str, ...]) -> None:
    """An empty answer equals no address and no authority."""
    named(cluster, "", "")
    (cluster.here / "identity").write_text("\t\n")
    done = cluster.install("", *context)
    assert (done.returncode == 2) == bool(context)


def test_a_release_of_others_is_not_taken_over(cluster: Cluster) -> None:
    cluster.release("kueue", "kueue-system", "team=a")
    cluster.release("aws-efa-k8s-device-plugin", "elsewhere", "team=a")
    said = rejected(cluster.install(""))
    last = said.splitlines()[-1]
    assert "the Helm release kueue in kueue-system, which this bundle did not install" in last
    assert "(holds jobs back until their nodes are free (admission))" in last
    _, _, way_out = last.partition("its values: ")
    assert way_out == (
        "KUBECONFIG=.filled/kubeconfig kubectl --context fake label secrets --namespace "
        "kueue-system --overwrite --selector owner=helm,name=kueue managed-by=clustergen"
    )
    assert cluster.api.changes == []
    assert not [call for call in cluster.calls if call.startswith("helm upgrade")]
    cluster.release("kueue", "kueue-system", "managed-by=clustergen")
    install(cluster, "")


DATED = """
node_groups:
  - name: h200
    capacity:
      {capacity_block: cr-0a1b2c3d4e5f67890, starts: 2026-12-10T11:30:00Z,
       ends: 2026-12-17T11:30:00Z}
queues: [{name: train, node_groups: [h200], time_limit: 12h}]
"""


def test_what_the_timetable_held_is_released_with_its_dates(cluster: Cluster) -> None:
    install(cluster, DATED)
    objects, mark = cluster.api.objects, {timetable.MARK: "yes"}
    for name, marks in (("ours", mark), ("theirs", {})):
        metadata = {"annotations": dict(marks)}
        cluster.put("nodes", name, {"metadata": metadata, "spec": {"unschedulable": True}})
    queue = (CLUSTER_QUEUES, "", "train")
    objects[queue]["metadata"]["annotations"] = dict(mark)
    objects[queue]["spec"]["stopPolicy"] = "HoldAndDrain"
    jobs = "workloads.kueue.x-k8s.io"
    for name, marks in (("job", mark), ("theirs", {})):
        spec = {"active": False, "queueName": "train"}
        cluster.put(jobs, name, {"metadata": {"labels": dict(marks)}, "spec": spec}, "train")
    # A second deployment does not interfere.
    install(cluster, DATED)
    assert objects[queue]["spec"]["stopPolicy"] == "HoldAndDrain"
    undated = DATED[: DATED.index("    capacity:")] + DATED[DATED.index("queues:") :]
    cluster.api.failing.add(jobs)
    rejected(cluster.install(undated), "did not respond")
    # A run that was interrupted leaves the rest to the next one.
    cluster.api.failing.clear()
    install(cluster, undated)
    assert "timetable" not in cluster.api.names("deployments.apps")
    released = objects[queue]
    assert released["spec"]["stopPolicy"] == "None"
    assert timetable.MARK not in released["metadata"]["annotations"]
    assert "unschedulable" not in objects["nodes", "", "ours"]["spec"]
    assert objects["nodes", "", "theirs"]["spec"] == {"unschedulable": True}
    job = objects[jobs, "train", "job"]
    assert (job["spec"]["active"], job["metadata"]["labels"]) == (True, {})
    assert objects[jobs, "train", "theirs"]["spec"]["active"] is False
    # The pod ends first.
    [end] = [n for n, call in enumerate(cluster.calls) if "delete deployment timetable" in call]
    assert all(n > end for n, call in enumerate(cluster.calls) if " patch " in call)
    # Someone else holds the queue now.
    released["spec"]["stopPolicy"] = "Hold"
    install(cluster, undated)
    assert objects[queue]["spec"]["stopPolicy"] == "Hold"


QUEUED = """
kubernetes: {autoscaler: karpenter}
node_groups: [{name: burst, instance_type: g6e.12xlarge, capacity: spot, count: {min: 0, max: 8}}]
queues: [{name: train, node_groups: [burst]}, {name: other, node_groups: [burst]}]
"""


def test_a_pause_holds_queues_and_a_resume_restores_them(cluster: Cluster) -> None:
    install(cluster, QUEUED)
    queues = [(CLUSTER_QUEUES, "", name) for name in ("train", "other")]
    cluster.api.objects[queues[1]]["spec"]["stopPolicy"] = "Hold"
    made = cluster.engine(dict(Fragments("eks").files(QUEUED)))
    paused = Queues(made.run, made.api, made.service)

    def call(change: Callable[[str], None]) -> list[str]:
        for name in ("train", "other"):
            change(name)
        paused.await_suspension()
        found = [cluster.api.objects[queue] for queue in queues if queue in cluster.api.objects]
        return [queue["spec"]["stopPolicy"] for queue in found]

    # An interrupted pause, or resume, is repeated.
    for _ in range(2):
        assert call(paused.hold_queue) == ["HoldAndDrain", "HoldAndDrain"]
    for _ in range(2):
        assert call(paused.release_queue) == ["None", "Hold"]
    # What someone else did meanwhile.
    cluster.api.objects[queues[0]]["spec"]["stopPolicy"] = "Hold"
    assert call(paused.release_queue) == ["Hold", "Hold"]
    cluster.api.objects.pop(queues[0])
    assert call(paused.hold_queue) == ["HoldAndDrain"]
    cluster.api.objects[queues[1]]["status"] = {"reservingWorkloads": 2}
    paused.await_suspension()
    assert made.run.world.clock.time() > 100


@pytest.mark.parametrize("name", SPECS)
def test_every_object_can_be_pruned(name: str) -> None:
    for path, text in files_of(SPECS[name]).items():
        for item in yaml.safe_load_all(text) if path.startswith("manifests/") else ():
            assert item["metadata"]["labels"][pruning.LABEL] == pruning.owner(plan_of(SPECS[name]))
            assert of(item).name == item["metadata"]["name"]
            has_namespace = "namespace" in item["metadata"]
            assert has_namespace != (item["kind"] in kubernetes_api.CLUSTER_WIDE)


def test_a_chart_that_others_use_stays(cluster: Cluster) -> None:
    """Its removal would delete the queues of other bundles with their kind."""
    cluster.release("kueue", "kueue-system", "managed-by=clustergen")
    cluster.put("customresourcedefinitions.apiextensions.k8s.io", CLUSTER_QUEUES, {})
    cluster.put(CLUSTER_QUEUES, "train", {"metadata": {"labels": {pruning.LABEL: "clustergen"}}})
    cluster.put(CLUSTER_QUEUES, "theirs", {"spec": {}})
    without = "node_groups: [{name: h200}]\nkubernetes: {admission: none}\n"
    assert "kueue stays" in install(cluster, without)
    assert "kueue" in cluster.releases
    assert cluster.api.names(CLUSTER_QUEUES) == {"theirs"}
    del cluster.api.objects[CLUSTER_QUEUES, "", "theirs"]
    install(cluster, without, "--prune")
    assert "kueue" not in cluster.releases

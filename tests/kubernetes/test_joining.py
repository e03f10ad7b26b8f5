"""install.sh in a cluster that exists, with software and objects of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.kubernetes import charts
from tests.kubernetes.clusters import Cluster, running
from tests.kubernetes.planned import files_of
from tests.support.kubernetes_api import KINDS

JOINED = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
targets: {eks: {cluster: platform}}
kubernetes: {version: "1.35"}
"""
QUEUED = """
node_groups: [{name: h200, count: 2}]
queues: [{name: train, node_groups: [h200]}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]
"""
SPEC = QUEUED + JOINED
NO_QUEUES = "node_groups: [{name: h200, count: 2}]\n" + JOINED
DATED = SPEC.replace(
    "count: 2",
    "count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890, starts: 2026-12-10T11:30:00Z}",
)
OWN = "clustergen-example"
PLUGINS = {"nvidia-device-plugin-example", "aws-efa-k8s-device-plugin-example"}
CHARTS = {*PLUGINS, "kueue"}
QUEUE = ("clusterqueues.kueue.x-k8s.io", "", "train")


def crd(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
    }


def deployment(name: str, image: str) -> dict[str, Any]:
    return {**daemon_set(name, image), "kind": "Deployment"}


def node(name: str, group: str, resource: str) -> dict[str, Any]:
    head = {"name": name, "labels": {"eks.amazonaws.com/nodegroup": group}}
    return {"metadata": head, "status": {"allocatable": {"cpu": "8", resource: "8"}}}


def daemon_set(name: str, image: str, container: str = "plugin") -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": container, "image": image}]}}
    head = {"apiVersion": "apps/v1", "kind": "DaemonSet"}
    return {**head, "metadata": {"name": name, "namespace": "gpu"}, "spec": {"template": pod}}


_OF_CHARTS = {"nvidia-device-plugin": "k8s-device-plugin", "aws-efa-k8s-device-plugin": ""}


def of_chart(name: str) -> dict[str, Any]:
    made = daemon_set("RELEASE", f"public.ecr.aws/eks/{_OF_CHARTS[name] or name}:v1")
    match = {"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": "GROUPS"}
    made["metadata"]["annotations"] = {
        "meta.helm.sh/release-name": "RELEASE",
        "meta.helm.sh/release-namespace": "NAMESPACE",
    }
    return scheduled(made, [{"key": "nvidia.com/gpu", "operator": "Exists"}], [match])


def scheduled(
    made: dict[str, Any], tolerations: list[dict[str, str]], *terms: list[Any]
) -> dict[str, Any]:
    """A DaemonSet with tolerations, and an affinity to nodes that match one of the terms."""
    needed = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": needed}}
    pod = made["spec"]["template"]["spec"]
    pod |= {"tolerations": tolerations, **({"affinity": affinity} if terms else {})}
    return made


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running(tmp_path) as made:
        (tmp_path / "kueue.yaml").write_text(yaml.safe_dump(crd("clusterqueues.kueue.x-k8s.io")))
        for name in _OF_CHARTS:
            (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(of_chart(name)))
        yield made


def install(cluster: Cluster, text: str, *arguments: str) -> str:
    done = cluster.install(text, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stderr


def put(cluster: Cluster, resource: str, name: str, item: dict[str, Any], space: str = "") -> None:
    plural, _, group = resource.partition(".")
    ((version, kind),) = (
        (version, kind)
        for (g, version, kind), each in KINDS.items()
        if (g, each) == (group, plural)
    )
    head = {"apiVersion": f"{group}/{version}".strip("/"), "kind": kind}
    made = {**head, "metadata": {"name": name}, **item}
    if space:
        made["metadata"]["namespace"] = space
    cluster.api.objects[resource, space, name] = made


def theirs(cluster: Cluster) -> dict[tuple[str, str, str], Any]:
    """Objects that others have made in the cluster, with all that this bundle may install."""
    operator = deployment("mpi-operator", "mpioperator/mpi-operator:0.6.0")
    put(cluster, "deployments.apps", "theirs", operator, "mpi")
    name = "clusterqueues.kueue.x-k8s.io"
    put(cluster, "customresourcedefinitions.apiextensions.k8s.io", name, {})
    image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"
    plugin = scheduled(daemon_set("theirs", image), [{"operator": "Exists"}])
    put(cluster, "daemonsets.apps", "theirs", plugin, "gpu")
    put(cluster, "clusterqueues.kueue.x-k8s.io", "research", {"spec": {}})
    put(cluster, "topologies.kueue.x-k8s.io", "hosts", {"spec": {"levels": []}})
    put(cluster, "namespaces", "train", {})
    return dict(cluster.api.objects)


def test_what_is_missing_is_installed_once(cluster: Cluster) -> None:
    install(cluster, SPEC)
    assert cluster.releases == CHARTS
    assert QUEUE in cluster.api.objects
    made = list(cluster.api.changes)
    again = install(cluster, SPEC)
    assert "already installed" not in again
    assert cluster.api.changes == made


def test_what_others_installed_stays_as_it_is(cluster: Cluster) -> None:
    before = theirs(cluster)
    said = install(cluster, SPEC)
    for name in ("nvidia-device-plugin", "kueue", "mpi-operator"):
        assert f"{name} is already installed in the cluster" in said
    assert cluster.releases == {"aws-efa-k8s-device-plugin-example"}
    assert before.items() <= cluster.api.objects.items()
    assert QUEUE in cluster.api.objects
    install(cluster, SPEC, "--remove")
    kept = {"namespaces", "customresourcedefinitions.apiextensions.k8s.io"}
    left = {key: item for key, item in cluster.api.objects.items() if key[0] not in kept}
    assert left == {key: item for key, item in before.items() if key[0] not in kept}


def test_an_interrupted_installation_continues(cluster: Cluster) -> None:
    """Helm had created the kinds of Kueue, and was killed before it noted the release."""
    install(cluster, SPEC)
    (cluster.here / "releases" / "kueue").unlink()
    assert "already installed" not in install(cluster, SPEC)
    assert cluster.releases == CHARTS


@pytest.mark.parametrize(
    ("resource", "name", "space", "owner"),
    [
        ("resourceflavors.kueue.x-k8s.io", "h200", "", ""),
        ("clusterqueues.kueue.x-k8s.io", "train", "", "clustergen"),
        ("localqueues.kueue.x-k8s.io", "train", "train", "clustergen-example2"),
    ],
)
def test_an_object_of_others_is_never_overwritten(
    cluster: Cluster, resource: str, name: str, space: str, owner: str
) -> None:
    labels = {"labels": {"app.kubernetes.io/managed-by": owner}} if owner else {}
    put(cluster, resource, name, {"metadata": {"name": name, **labels}}, space)
    before = dict(cluster.api.objects)
    done = cluster.install(SPEC)
    assert (done.returncode, f"the cluster has {resource} {name}" in done.stderr) == (2, True)
    assert cluster.api.objects == before


def test_a_check_changes_nothing(cluster: Cluster) -> None:
    install(cluster, SPEC, "--check")
    assert cluster.api.objects == {}
    put(cluster, "resourceflavors.kueue.x-k8s.io", "h200", {})
    before = dict(cluster.api.objects)
    done = cluster.install(SPEC, "--check")
    assert (done.returncode, "which this bundle did not create" in done.stderr) == (2, True)
    assert cluster.api.objects == before


def test_everything_of_the_bundle_is_removed_and_nothing_else(cluster: Cluster) -> None:
    put(cluster, "configmaps", "theirs", {}, "default")
    before = set(cluster.api.objects)
    install(cluster, DATED)
    assert ("deployments.apps", "kube-system", "timetable-example") in cluster.api.objects
    install(cluster, DATED, "--remove")
    left = {key for key in cluster.api.objects if key not in before}
    assert {kind for kind, _, _ in left} == {
        "namespaces",
        "customresourcedefinitions.apiextensions.k8s.io",
    }
    assert cluster.releases == set()
    install(cluster, DATED, "--remove")


def test_a_chart_that_others_use_stays(cluster: Cluster) -> None:
    """Its removal would delete the queues of others with their kind."""
    install(cluster, SPEC)
    put(cluster, "clusterqueues.kueue.x-k8s.io", "research", {"spec": {}})
    said = install(cluster, SPEC, "--remove")
    assert cluster.releases == {"kueue"}
    assert "kueue stays" in said
    assert "clusterqueue.kueue.x-k8s.io/research" in said


OPERATOR = ("deployments.apps", "mpi-operator", "mpi-operator")


def test_the_mpi_operator_stays_for_the_jobs_of_others(cluster: Cluster) -> None:
    install(cluster, SPEC)
    put(cluster, "mpijobs.kubeflow.org", "mine", {}, "train")
    put(cluster, "mpijobs.kubeflow.org", "theirs", {}, "research")
    said = install(cluster, SPEC, "--remove")
    assert "mpi-operator stays" in said
    assert ": research/theirs.\n" in said
    kinds = ("clusterroles", "clusterrolebindings", "serviceaccounts")
    left = {kind.partition(".")[0] for kind, _, name in cluster.api.objects if name == OPERATOR[2]}
    assert OPERATOR in cluster.api.objects
    assert left >= set(kinds)
    del cluster.api.objects["mpijobs.kubeflow.org", "research", "theirs"]
    install(cluster, SPEC, "--remove")
    assert OPERATOR not in cluster.api.objects


def test_what_was_removed_is_installed_again(cluster: Cluster) -> None:
    """The kind of the MPI operator stays, and is no sign of an operator."""
    install(cluster, SPEC)
    install(cluster, SPEC, "--remove")
    assert OPERATOR not in cluster.api.objects
    install(cluster, SPEC)
    assert OPERATOR in cluster.api.objects
    assert cluster.releases == CHARTS


def test_kinds_that_helm_leaves_are_no_sign() -> None:
    """Helm never deletes those in the folder crds/ of a chart, as these have."""
    left = (charts.NVIDIA_DRA, charts.GPU_OPERATOR, charts.KAI, charts.TRAINER)
    assert not [sign for chart in left for sign in chart.signs if sign.startswith("crd/")]
    assert all(chart.signs for chart in left)


def test_an_older_kind_of_mpi_jobs_stops_it(cluster: Cluster) -> None:
    """The training operator has a kind of the same name, which would be overwritten."""
    versions = [{"name": "v1", "served": True}, {"name": "v2beta1", "served": False}]
    kinds = "customresourcedefinitions.apiextensions.k8s.io"
    put(cluster, kinds, "mpijobs.kubeflow.org", {"spec": {"versions": versions}})
    before = dict(cluster.api.objects)
    done = cluster.install(SPEC)
    assert (done.returncode, "does not serve kubeflow.org/v2beta1" in done.stderr) == (2, True)
    assert cluster.api.objects == before


def test_a_broken_api_of_others_stops_nothing(cluster: Cluster) -> None:
    cluster.api.failing.add("metrics.example.com")
    install(cluster, SPEC)
    assert cluster.releases == CHARTS
    install(cluster, SPEC, "--remove")
    assert QUEUE not in cluster.api.objects


def test_an_error_does_not_mean_that_nothing_is_left(cluster: Cluster) -> None:
    install(cluster, SPEC)
    cluster.api.failing.add("jobs.batch")
    done = cluster.install(SPEC, "--remove")
    assert (done.returncode, "did not respond" in done.stderr) == (2, True)
    cluster.api.failing.clear()
    install(cluster, SPEC, "--remove")
    assert QUEUE not in cluster.api.objects


def test_a_bundle_without_queues_removes_only_its_own(cluster: Cluster) -> None:
    install(cluster, SPEC)
    put(cluster, "clusterqueues.kueue.x-k8s.io", "research", {"spec": {}})
    install(cluster, NO_QUEUES)
    assert cluster.api.names("clusterqueues.kueue.x-k8s.io") == {"research"}
    assert "kueue" in cluster.releases


def test_the_marks_of_other_timetables_stay(cluster: Cluster) -> None:
    held = {"clustergen.timetable/held": "yes"}
    label = {"eks.amazonaws.com/nodegroup": "theirs"}
    node = {"metadata": {"name": "a", "annotations": held, "labels": label}, "spec": {}}
    put(cluster, "nodes", "a", node)
    mine = {"eks.amazonaws.com/nodegroup": "h200"}
    put(cluster, "nodes", "b", {"metadata": {**node["metadata"], "name": "b", "labels": mine}})
    install(cluster, SPEC)
    marks = {
        name: cluster.api.objects["nodes", "", name]["metadata"].get("annotations") or None
        for name in ("a", "b")
    }
    assert marks == {"a": held, "b": None}


def test_software_runs_on_any_node_of_the_cluster() -> None:
    files = files_of(SPEC)
    assert not any("system_nodes" in text for path, text in files.items() if "values" in path)
    assert "manifests/storage-class.yaml" not in files
    (job,) = yaml.safe_load_all(files["manifests/ownership.yaml"])
    (term,) = job["spec"]["template"]["spec"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["h200"]
    assert "activeDeadlineSeconds" not in job["spec"]


def test_a_kueue_that_holds_jobs_without_a_queue_admits_those_of_the_bundle() -> None:
    queued = {"kueue.x-k8s.io/queue-name": "train"}
    (job,) = yaml.safe_load_all(files_of(SPEC)["manifests/ownership.yaml"])
    assert queued.items() <= job["metadata"]["labels"].items()
    assert job["metadata"]["namespace"] == "train"
    (job,) = yaml.safe_load_all(files_of(SPEC)["smoke/h200-file-systems.yaml"])
    assert queued.items() <= job["metadata"]["labels"].items()
    pod = job["spec"]["template"]["spec"]
    assert "topologySpreadConstraints" not in pod
    # Kubernetes keeps some of the 192 vCPUs: two pods do not fit on a node.
    assert int(pod["containers"][0]["resources"]["requests"]["cpu"]) * 2 >= 192
    without = SPEC.replace("queues: [{name: train, node_groups: [h200]}]", "")
    (job,) = yaml.safe_load_all(files_of(without)["manifests/ownership.yaml"])
    assert not queued.keys() & job["metadata"]["labels"].keys()


def test_the_admission_of_jobs_stays_without_queues() -> None:
    assert "manifests/kueue.yaml" not in files_of(NO_QUEUES)
    assert "kueue-system" not in files_of(NO_QUEUES)["install.sh"]

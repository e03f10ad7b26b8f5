"""install.sh in a cluster that exists, with software and objects of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

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
CHARTS = {"nvidia-device-plugin", "aws-efa-k8s-device-plugin", "kueue"}
QUEUE = ("clusterqueues.kueue.x-k8s.io", "", "train")


def crd(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
    }


def daemon_set(name: str, image: str) -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": "plugin", "image": image}]}}
    head = {"apiVersion": "apps/v1", "kind": "DaemonSet"}
    return {**head, "metadata": {"name": name, "namespace": "gpu"}, "spec": {"template": pod}}


MADE_BY_CHARTS = {
    "kueue": crd("clusterqueues.kueue.x-k8s.io"),
    **{
        name: daemon_set(name, f"public.ecr.aws/eks/{name.replace('nvidia-', 'k8s-')}:v1")
        for name in ("nvidia-device-plugin", "aws-efa-k8s-device-plugin")
    },
}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running(tmp_path) as made:
        for name, item in MADE_BY_CHARTS.items():
            (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(item))
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
    put(cluster, "customresourcedefinitions.apiextensions.k8s.io", "mpijobs.kubeflow.org", {})
    name = "clusterqueues.kueue.x-k8s.io"
    put(cluster, "customresourcedefinitions.apiextensions.k8s.io", name, {})
    image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"
    put(cluster, "daemonsets.apps", "theirs", daemon_set("theirs", image), "gpu")
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
    assert cluster.releases == {"aws-efa-k8s-device-plugin"}
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


def test_a_bundle_without_queues_removes_only_its_own(cluster: Cluster) -> None:
    install(cluster, SPEC)
    put(cluster, "clusterqueues.kueue.x-k8s.io", "research", {"spec": {}})
    install(cluster, NO_QUEUES)
    assert cluster.api.names("clusterqueues.kueue.x-k8s.io") == {"research"}
    assert "kueue" in cluster.releases


def test_two_bundles_in_one_cluster_leave_each_other_alone(cluster: Cluster) -> None:
    group = "name: more, instance_type: p5en.48xlarge"
    other = SPEC.replace("name: h200", group).replace("[h200]", "[more]").replace("train", "infer")
    other += "name: second\n"
    install(cluster, SPEC)
    mine = {key for key in cluster.api.objects if key[2] in ("train", "h200", "fsx.train")}
    install(cluster, other)
    assert mine <= set(cluster.api.objects)
    install(cluster, other, "--remove")
    assert mine <= set(cluster.api.objects)
    assert cluster.releases == CHARTS


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


def test_the_admission_of_jobs_stays_without_queues() -> None:
    assert "manifests/kueue.yaml" not in files_of(NO_QUEUES)
    assert "kueue-system" not in files_of(NO_QUEUES)["install.sh"]

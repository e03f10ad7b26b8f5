"""Software in a cluster that exists, with software and objects of others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.deployment.software.objects import of
from clustergen.services.kubernetes import charts, pruning
from clustergen.services.kubernetes.bundle import software
from tests.services.kubernetes.clusters import Cluster, install, running
from tests.services.kubernetes.planned import files_of, plan_of
from tests.support.outcomes import rejected

pytestmark = pytest.mark.scenarios(10)

JOINED = """
network: {vpc: vpc-0a1b2c3d4e5f67890, zone: use1-az6,
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]}
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
KIND = "customresourcedefinitions.apiextensions.k8s.io"
QUEUES = "clusterqueues.kueue.x-k8s.io"
QUEUE = (QUEUES, "", "train")


def node(name: str, group: str, resource: str) -> dict[str, Any]:
    head = {"name": name, "labels": {"eks.amazonaws.com/nodegroup": group}}
    return {"metadata": head, "status": {"allocatable": {"cpu": "8", resource: "8"}}}


def daemon_set(name: str, image: str, container: str = "plugin") -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": container, "image": image}]}}
    return {"metadata": {"name": name, "namespace": "gpu"}, "spec": {"template": pod}}


_OF_CHARTS = {"nvidia-device-plugin": "k8s-device-plugin", "aws-efa-k8s-device-plugin": ""}


def of_chart(name: str) -> dict[str, Any]:
    made = daemon_set("RELEASE", f"public.ecr.aws/eks/{_OF_CHARTS[name] or name}:v1")
    match = {"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": "GROUPS"}
    release = {"release-name": "RELEASE", "release-namespace": "NAMESPACE"}
    made["metadata"]["annotations"] = {f"meta.helm.sh/{k}": v for k, v in release.items()}
    made |= {"apiVersion": "apps/v1", "kind": "DaemonSet"}
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
        kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        (tmp_path / "kueue.yaml").write_text(yaml.safe_dump({**kind, "metadata": {"name": QUEUES}}))
        for name in _OF_CHARTS:
            (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(of_chart(name)))
        yield made


def theirs(cluster: Cluster) -> dict[tuple[str, str, str], Any]:
    """Objects that others have made in the cluster, with all that this bundle may install."""
    operator = daemon_set("mpi-operator", "mpioperator/mpi-operator:0.6.0")
    plugin = daemon_set("theirs", "nvcr.io/nvidia/k8s-device-plugin:v0.17.0")
    cluster.put("deployments.apps", "theirs", operator, "mpi")
    cluster.put("daemonsets.apps", "theirs", scheduled(plugin, [{"operator": "Exists"}]), "gpu")
    cluster.put(KIND, QUEUES, {})
    cluster.put(QUEUES, "research", {"spec": {}})
    cluster.put("topologies.kueue.x-k8s.io", "hosts", {"spec": {"levels": []}})
    cluster.put("namespaces", "train", {})
    return dict(cluster.api.objects)


def test_what_is_missing_is_installed_once(cluster: Cluster) -> None:
    install(cluster, SPEC)
    assert cluster.releases == CHARTS
    assert QUEUE in cluster.api.objects
    made = list(cluster.api.changes)
    assert "already installed" not in install(cluster, SPEC)
    assert cluster.api.changes == made


def without_kept(objects: dict[tuple[str, str, str], Any]) -> dict[tuple[str, str, str], Any]:
    """Without what a removal leaves."""
    return {key: item for key, item in objects.items() if key[0] not in ("namespaces", KIND)}


def test_what_others_installed_stays_as_it_is(cluster: Cluster) -> None:
    before = theirs(cluster)
    said = install(cluster, SPEC)
    for name in ("nvidia-device-plugin", "kueue", "mpi-operator"):
        assert f"{name} is already installed in the cluster" in said
    assert cluster.releases == {"aws-efa-k8s-device-plugin-example"}
    assert before.items() <= cluster.api.objects.items()
    assert QUEUE in cluster.api.objects
    install(cluster, SPEC, "--remove")
    assert without_kept(cluster.api.objects) == without_kept(before)


def test_hyperpods_chart_of_the_same_spec_stays(cluster: Cluster) -> None:
    """K8S442 tells of the rest: the bundles of both targets have one label."""
    cluster.release("dependencies", "kube-system", "managed-by=clustergen-example")
    install(cluster, SPEC)
    install(cluster, SPEC, "--remove")
    assert cluster.releases == {"dependencies"}


def test_an_interrupted_installation_continues(cluster: Cluster) -> None:
    """Helm had created the kinds of Kueue, and was killed before it noted the release."""
    install(cluster, SPEC)
    (cluster.here / "releases" / "kueue").unlink()
    assert "already installed" not in install(cluster, SPEC)
    assert cluster.releases == CHARTS


@pytest.mark.parametrize(
    ("spec", "own", "resource", "name", "space", "owner"),
    [
        (SPEC, OWN, "resourceflavors.kueue.x-k8s.io", "h200", "", ""),
        (SPEC, OWN, QUEUES, "train", "", "clustergen"),
        (SPEC, OWN, "localqueues.kueue.x-k8s.io", "train", "train", "clustergen-example2"),
        (QUEUED, "clustergen", QUEUES, "train", "", ""),
        (QUEUED, "clustergen", QUEUES, "train", "", "clustergen-other"),
    ],
)
def test_an_object_of_others_is_never_overwritten(
    cluster: Cluster, *, spec: str, own: str, resource: str, name: str, space: str, owner: str
) -> None:
    """Another bundle in this cluster may have a queue of the same name, or a user."""
    labels = {"labels": {pruning.LABEL: owner}} if owner else {}
    cluster.put(resource, name, {"metadata": {"name": name, **labels}}, space)
    before = dict(cluster.api.objects)
    label = f"label {resource} {name}{space and f' --namespace {space}'} --overwrite"
    rejected(
        cluster.install(spec),
        f"the cluster has {resource} {name}",
        f"{label} {pruning.LABEL}={own}",
    )
    assert cluster.api.objects == before


def test_a_check_changes_nothing(cluster: Cluster) -> None:
    install(cluster, SPEC, "--check")
    assert cluster.api.objects == {}
    cluster.put("resourceflavors.kueue.x-k8s.io", "h200", {})
    before = dict(cluster.api.objects)
    rejected(cluster.install(SPEC, "--check"), "which this bundle did not create")
    assert cluster.api.objects == before


def test_everything_of_the_bundle_is_removed_and_nothing_else(cluster: Cluster) -> None:
    cluster.put("configmaps", "theirs", {}, "default")
    before = set(cluster.api.objects)
    install(cluster, DATED)
    assert ("deployments.apps", "kube-system", "timetable-example") in cluster.api.objects
    install(cluster, DATED, "--remove")
    left = {key for key in cluster.api.objects if key not in before}
    assert {kind for kind, _, _ in left} == {"namespaces", KIND}
    assert cluster.releases == set()
    install(cluster, DATED, "--remove")


def test_a_chart_that_others_use_stays(cluster: Cluster) -> None:
    """Its removal would delete the queues of others with their kind."""
    install(cluster, SPEC)
    cluster.put(QUEUES, "research", {"spec": {}})
    said = install(cluster, SPEC, "--remove")
    assert cluster.releases == {"kueue"}
    assert "kueue stays" in said
    assert "of clusterqueues.kueue.x-k8s.io: research" in said


OPERATOR = ("deployments.apps", "mpi-operator", "mpi-operator")


def test_the_mpi_operator_stays_for_the_jobs_of_others(cluster: Cluster) -> None:
    for item in yaml.safe_load_all(files_of(SPEC)["manifests/mpi-operator.yaml"]):
        resource, space, name = of(item)
        cluster.put(resource, name, item, space)
    cluster.put("configmaps", f"{OWN}-mpi-operator", {}, "kube-system")
    cluster.put("mpijobs.kubeflow.org", "mine", {}, "train")
    cluster.put("mpijobs.kubeflow.org", "theirs", {}, "research")
    said = install(cluster, SPEC, "--remove")
    assert "mpi-operator stays" in said
    assert ": research/theirs.\n" in said
    left = {kind.partition(".")[0] for kind, _, name in cluster.api.objects if name == OPERATOR[2]}
    assert left >= {"deployments", "clusterroles", "clusterrolebindings", "serviceaccounts"}
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
    cluster.put(KIND, "mpijobs.kubeflow.org", {"spec": {"versions": versions}})
    before = dict(cluster.api.objects)
    rejected(cluster.install(SPEC), "does not serve kubeflow.org/v2beta1")
    assert cluster.api.objects == before


MAPPED = "config.kueue.x-k8s.io/v1beta2, gpu.nvidia.com, efa.networking.k8s.aws"


@pytest.mark.parametrize(
    ("configuration", "missing"),
    [
        (MAPPED, ""),
        (MAPPED.replace("gpu.", ""), "gpu.nvidia.com"),
        (MAPPED.split(",", maxsplit=1)[0], "gpu.nvidia.com"),
        ("another", ""),
    ],
)
def test_kueue_of_others_has_to_know_what_jobs_claim(
    cluster: Cluster, configuration: str, missing: str
) -> None:
    text = SPEC.replace("{version", "{devices: dra, version")
    data = {"data": {"controller_manager_config.yaml": configuration}}
    name = "kueue-manager-config"
    metadata = {"name": name, "labels": {"app.kubernetes.io/name": "kueue"}}
    cluster.put("configmaps", name, {**data, "metadata": metadata}, "kueue-system")
    done = cluster.install(text, "--check")
    assert done.returncode == (2 if missing else 0), done.stderr
    assert (f"devices of the class {missing} that jobs claim" in done.stderr) == bool(missing)


def test_a_broken_api_of_others_stops_nothing(cluster: Cluster) -> None:
    cluster.api.failing.add("metrics.example.com")
    install(cluster, SPEC)
    assert cluster.releases == CHARTS
    install(cluster, SPEC, "--remove")
    assert QUEUE not in cluster.api.objects


def test_an_error_does_not_mean_that_nothing_is_left(cluster: Cluster) -> None:
    install(cluster, SPEC)
    cluster.api.failing.add("jobs.batch")
    rejected(cluster.install(SPEC, "--remove"), "did not respond")
    cluster.api.failing.clear()
    install(cluster, SPEC, "--remove")
    assert QUEUE not in cluster.api.objects


def test_a_bundle_without_queues_removes_only_its_own(cluster: Cluster) -> None:
    install(cluster, SPEC)
    cluster.put(QUEUES, "research", {"spec": {}})
    install(cluster, NO_QUEUES)
    assert cluster.api.names(QUEUES) == {"research"}
    assert "kueue" in cluster.releases


def test_the_marks_of_other_timetables_stay(cluster: Cluster) -> None:
    install(cluster, DATED)
    held = {"clustergen.timetable/held": "yes"}
    for name, group in (("a", "theirs"), ("b", "h200")):
        labels = {"eks.amazonaws.com/nodegroup": group}
        metadata = {"annotations": dict(held), "labels": labels}
        cluster.put("nodes", name, {"metadata": metadata, "spec": {}})
    install(cluster, SPEC)
    nodes = [cluster.api.objects["nodes", "", name]["metadata"] for name in ("a", "b")]
    assert [node.get("annotations") or None for node in nodes] == [held, None]


def job_of(path: str, text: str = SPEC) -> Any:
    [job] = yaml.safe_load_all(files_of(text)[path])
    return job


def groups_of(pod: Any) -> Any:
    """The node groups on which a pod may be."""
    affinity = pod["spec"]["affinity"]["nodeAffinity"]
    [term] = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return term["matchExpressions"][0]["values"]


OWNERSHIP = "manifests/ownership.yaml"


def test_software_runs_on_any_node_of_the_cluster() -> None:
    files = files_of(SPEC)
    assert not any("system_nodes" in text for path, text in files.items() if "values" in path)
    assert "manifests/storage-class.yaml" not in files
    job = job_of(OWNERSHIP)
    assert groups_of(job["spec"]["template"]) == ["h200"]
    assert "activeDeadlineSeconds" not in job["spec"]


def test_a_kueue_that_holds_jobs_without_a_queue_admits_those_of_the_bundle() -> None:
    queued = {"kueue.x-k8s.io/queue-name": "train"}
    owns, tests = job_of(OWNERSHIP), job_of("smoke/h200-file-systems.yaml")
    for job in (owns, tests):
        assert queued.items() <= job["metadata"]["labels"].items()
    assert owns["metadata"]["namespace"] == "train"
    pod = tests["spec"]["template"]["spec"]
    assert "topologySpreadConstraints" not in pod
    # Kubernetes keeps some of the 192 vCPUs: two pods do not fit on a node.
    assert int(pod["containers"][0]["resources"]["requests"]["cpu"]) * 2 >= 192
    without = SPEC.replace("queues: [{name: train, node_groups: [h200]}]", "")
    assert not queued.keys() & job_of(OWNERSHIP, without)["metadata"]["labels"].keys()


def test_the_admission_of_jobs_stays_without_queues() -> None:
    assert "manifests/kueue.yaml" not in files_of(NO_QUEUES)
    assert "kueue" not in {each.chart for each in software(plan_of(NO_QUEUES)).releases}

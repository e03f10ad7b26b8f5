"""Device plugins in a cluster that exists: ours beside those of others."""

from typing import Any

import pytest

from clustergen.deployment.software import daemon_sets
from clustergen.services.kubernetes.bundle import software
from tests.services.kubernetes.clusters import BUNDLES, Cluster, install
from tests.services.kubernetes.planned import plan_of, values_of
from tests.services.kubernetes.test_joining import (
    CHARTS,
    JOINED,
    KIND,
    OWN,
    PLUGINS,
    SPEC,
    cluster,
    daemon_set,
    groups_of,
    node,
    scheduled,
)
from tests.support.outcomes import rejected

pytestmark = pytest.mark.scenarios(20)

__all__ = ["cluster"]

SETS = "daemonsets.apps"
NVIDIA, EFA = "nvidia-device-plugin", "aws-efa-k8s-device-plugin"
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
TAINTED = """
node_groups:
  - {name: h200, count: 2}
  - {name: llm, instance_type: p5.48xlarge, count: 2,
     taints: [{key: team, value: llm, effect: NoSchedule}]}
queues: [{name: train, node_groups: [h200, llm]}]
"""
TWO = TAINTED + JOINED


def present(label: str, *values: str, operator: str = "In") -> dict[str, Any]:
    return {"key": label, "operator": operator, **({"values": list(values)} if values else {})}


def plugin(
    *tolerations: dict[str, str], terms: tuple[list[Any], ...] = (), **pod: Any
) -> dict[str, Any]:
    made = daemon_set("theirs", "nvcr.io/nvidia/k8s-device-plugin:v0.17.0")
    made["spec"]["template"]["spec"] |= pod
    return scheduled(made, list(tolerations), *terms)


def add(cluster: Cluster, made: dict[str, Any]) -> None:
    cluster.put(SETS, made["metadata"]["name"], made, "gpu")


def groups(cluster: Cluster, release: str) -> Any:
    """The node groups on which a plugin of ours runs."""
    sets = {name: o for (kind, _, name), o in cluster.api.objects.items() if kind == SETS}
    return groups_of(sets[release]["spec"]["template"])


PRESENT = [present("nvidia.com/gpu.present", "true")]
DISCOVERED = [present("feature.node.kubernetes.io/pci-10de.present", "true")]
SERVED = [
    ("the chart as it is", plugin(GPU, terms=(DISCOVERED, PRESENT))),
    ("everywhere", plugin({"operator": "Exists"})),
    ("every effect", plugin({"key": "nvidia.com/gpu", "operator": "Exists"})),
    ("one value", plugin({"key": "nvidia.com/gpu", "value": "present"})),
    ("one type", plugin(GPU, nodeSelector={"node.kubernetes.io/instance-type": "p5en.48xlarge"})),
    ("no others", plugin(GPU, terms=([present("eks.amazonaws.com/nodegroup", "x", operator="NotIn"),
                                      present("kubernetes.io/arch", "amd64")],))),
    ("not on Fargate", plugin(GPU, terms=(
        [present("eks.amazonaws.com/compute-type", operator="DoesNotExist")],))),
]  # fmt: skip
NOT_SERVED = [
    ("no toleration", plugin(terms=(PRESENT,))),
    ("another key", plugin({"key": "team", "operator": "Exists"})),
    ("another effect", plugin({**GPU, "effect": "NoExecute"})),
    ("another value", plugin({"key": "nvidia.com/gpu", "operator": "Equal", "value": "true"})),
    ("another type", plugin(GPU, nodeSelector={"node.kubernetes.io/instance-type": "p4d.24xlarge",
                                               "kubernetes.io/os": "linux"})),
    ("nodes of others", plugin(GPU, terms=([present("eks.amazonaws.com/nodegroup", "x")],))),
    ("a label of theirs", plugin(GPU, nodeSelector={"accelerator": "nvidia"})),
    ("both labels", plugin(GPU, terms=([*PRESENT, present("team", operator="Exists")],))),
    ("labels that nothing makes", plugin(GPU, terms=(DISCOVERED,))),
    ("feature discovery", scheduled(daemon_set("theirs", "x/k8s-device-plugin:v1", "gpu-feature-"
                                               "discovery-ctr"), [{"operator": "Exists"}])),
]  # fmt: skip


def test_long_names_make_releases_that_helm_accepts() -> None:
    names = {each.name for each in software(plan_of(f"{SPEC}name: {'a' * 40}\n")).releases}
    assert len(names) == len(CHARTS)
    assert all(len(name) <= 53 for name in names)


def test_only_the_groups_that_others_leave_out_get_our_plugin(cluster: Cluster) -> None:
    add(cluster, plugin(GPU))
    said = install(cluster, TWO)
    assert groups(cluster, f"{NVIDIA}-example") == ["llm"]
    assert groups(cluster, f"{EFA}-example") == ["h200", "llm"]
    assert "serves other nodes of this bundle, but not those of llm" in said


def test_our_plugin_leaves_nodes_that_others_serve_since(cluster: Cluster) -> None:
    install(cluster, TWO)
    assert groups(cluster, f"{NVIDIA}-example") == ["h200", "llm"]
    add(cluster, plugin(GPU))
    install(cluster, TWO)
    assert groups(cluster, f"{NVIDIA}-example") == ["llm"]
    add(cluster, plugin({"operator": "Exists"}))
    install(cluster, TWO)
    assert cluster.releases == {f"{EFA}-example", "kueue"}


def serving(cluster: Cluster) -> list[tuple[str, str]]:
    """The types of nodes with GPUs, and what offers these there."""
    made, known = cluster.engine(BUNDLES.files(SPEC)), software(plan_of(SPEC))
    assert known.joined
    [pattern] = [each.same for each in known.releases if each.chart == NVIDIA]
    sets, nodes = daemon_sets.read(made.api), known.joined.nodes
    found = daemon_sets.serving(sets, nodes, NVIDIA, (), pattern)
    return [(node.type, by) for node, by in found]


def discovery(*tolerations: dict[str, str]) -> dict[str, Any]:
    made = daemon_set("nfd-worker", "registry.k8s.io/nfd/node-feature-discovery:v0.18.3")
    return scheduled(made, list(tolerations))


@pytest.mark.parametrize(
    ("worker", "enabled", "used"),
    [(discovery(GPU), True, True), (discovery(), True, False), (discovery(GPU), False, False)],
)
def test_the_gpu_operator_serves_nodes_that_it_discovers(
    cluster: Cluster, worker: dict[str, Any], enabled: bool, used: bool
) -> None:
    """It starts the plugin when there are nodes with GPUs."""
    name = "clusterpolicies.nvidia.com"
    cluster.put(KIND, name, {})
    spec = {"daemonsets": {"tolerations": [GPU]}, "devicePlugin": {"enabled": enabled}}
    cluster.put(name, "cluster-policy", {"spec": spec})
    add(cluster, worker)
    [(node, by)] = serving(cluster)
    assert (node, by) == ("p5en.48xlarge", "ClusterPolicy cluster-policy" if used else "")


def driver(container: str, *tolerations: dict[str, str]) -> dict[str, Any]:
    image = "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1"
    return scheduled(daemon_set("theirs", image, container), list(tolerations))


def test_devices_are_never_offered_twice(cluster: Cluster) -> None:
    """Claims and a plugin on one node: the scheduler gives a GPU to two pods."""
    add(cluster, driver("gpus", GPU))
    before = dict(cluster.api.objects)
    said = "DaemonSet gpu/theirs of the cluster runs on the nodes of h200, too"
    rejected(cluster.install(SPEC), said, "write kubernetes.devices: dra")
    assert cluster.api.objects == before
    add(cluster, driver("gpus"))
    install(cluster, SPEC)
    add(cluster, driver("compute-domains", GPU))
    install(cluster, SPEC)


CLAIMS = SPEC.replace('version: "1.35"', 'version: "1.35", devices: dra')


def test_claims_beside_a_plugin_of_others(cluster: Cluster) -> None:
    add(cluster, plugin(GPU))
    rejected(cluster.install(CLAIMS), "write kubernetes.devices: plugin")


def test_plugins_go_before_drivers_come(cluster: Cluster) -> None:
    install(cluster, SPEC)
    install(cluster, CLAIMS)
    assert cluster.releases == {"dra-driver-nvidia-gpu", "aws-dranet", "kueue"}
    done = [call for call in cluster.calls if call.startswith(("helm uninstall", "helm upgrade"))]
    assert [call.split()[1] for call in done] == ["uninstall"] * 2 + ["upgrade"] * 3


def test_a_driver_of_others_has_to_serve_our_nodes(cluster: Cluster) -> None:
    add(cluster, driver("gpus"))
    before = dict(cluster.api.objects)
    rejected(cluster.install(CLAIMS), "ask its owner for its tolerations")
    assert cluster.api.objects == before
    add(cluster, driver("gpus", GPU))
    assert "dra-driver-nvidia-gpu is already installed" in install(cluster, CLAIMS)
    assert cluster.releases == {"aws-dranet", "kueue"}


SECOND = f"""version: 1
name: second
region: us-east-1
node_groups: [{{name: more, instance_type: p5.48xlarge, count: 2}}]
queues: [{{name: infer, node_groups: [more]}}]
{JOINED}"""


def test_two_bundles_in_one_cluster_leave_each_other_alone(cluster: Cluster) -> None:
    both = {f"{chart}-{name}" for chart in (NVIDIA, EFA) for name in ("example", "second")}
    install(cluster, SPEC)
    install(cluster, SECOND)
    assert cluster.releases == {*both, "kueue"}
    assert groups(cluster, f"{NVIDIA}-example") == groups(cluster, f"{EFA}-example") == ["h200"]
    assert groups(cluster, f"{NVIDIA}-second") == groups(cluster, f"{EFA}-second") == ["more"]
    own = {"second", "infer", "more"}
    kept = {key for key in cluster.api.objects if own & {*key[2].split("-")}}
    install(cluster, SPEC, "--remove")
    assert cluster.releases == {f"{NVIDIA}-second", f"{EFA}-second", "kueue"}
    assert kept <= set(cluster.api.objects)


def test_a_release_on_which_others_rely_stays_alone(cluster: Cluster) -> None:
    cluster.release("gpu-operator", "gpu-operator", f"managed-by={OWN}")
    cluster.put("nodes", "theirs", node("theirs", "research", "nvidia.com/gpu"))
    said = install(cluster, SPEC)
    assert "gpu-operator stays: other nodes offer devices with it (nvidia.com/): theirs." in said
    assert cluster.releases == {"gpu-operator", *CHARTS}
    del cluster.api.objects["nodes", "", "theirs"]
    install(cluster, SPEC)
    assert cluster.releases == CHARTS


def test_a_removed_bundle_leaves_no_plugin(cluster: Cluster) -> None:
    cluster.put("nodes", "theirs", node("theirs", "research", "nvidia.com/gpu"))
    install(cluster, SPEC)
    install(cluster, SPEC, "--remove")
    assert not PLUGINS & cluster.releases


def test_daemon_sets_are_compared_with_our_nodes(cluster: Cluster) -> None:
    """As their controller compares them: by labels and taints."""
    runs: set[str] = set()
    for name, made in (*SERVED, *NOT_SERVED):
        cluster.put(SETS, "case", {**made, "metadata": {}}, "gpu")
        runs.update(name for _, by in serving(cluster) if by)
    assert runs == {name for name, _ in SERVED}


def test_names_of_the_neuron_chart_differ_by_bundle() -> None:
    """Names of its objects do not depend on the release."""
    text = "node_groups: [{name: trn, instance_type: trn2.48xlarge, count: 2}]\n" + JOINED
    values = values_of(text, "neuron-helm-chart")["devicePlugin"]
    name = "neuron-helm-chart-example"
    assert (values["fullnameOverride"], values["serviceAccount"]["name"]) == (name, name)
    alone = values_of(text.split("network")[0], "neuron-helm-chart")["devicePlugin"]
    assert not {"fullnameOverride", "serviceAccount"} & set(alone)


def test_plugins_run_on_nodes_of_the_bundle() -> None:
    values = values_of("", EFA)["supportedInstanceLabels"]
    assert values["keys"] == ["eks.amazonaws.com/nodegroup"]

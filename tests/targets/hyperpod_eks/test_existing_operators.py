"""HyperPod's chart with the real kubectl, where others have device plugins and operators."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.services.kubernetes.clusters import Cluster, running
from tests.services.kubernetes.test_joining import daemon_set, scheduled
from tests.support.installing import chart_installed
from tests.support.scripts import programs
from tests.targets.hyperpod_eks.planned import files_of

HELM = 'printf "helm %s\\n" "$*" >>"$HERE/calls"'
AWS = 'cp "$HERE/kubeconfig" "${@: -1}"'
GPU = "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"
TYPE = "node.kubernetes.io/instance-type"
ANYWHERE = [{"operator": "Exists"}]
NVIDIA = "nvidia-device-plugin.devicePlugin.enabled=false"
EFA = "aws-efa-k8s-device-plugin.devicePlugin.enabled=false"
MPI, TRAINING = "mpi-operator.enabled=false", "trainingOperators.enabled=false"
_H100 = "{name: h100, instance_type: p5.48xlarge, count: 2}"
TWO = f"node_groups: [{{name: h200, count: 2}}, {_H100}]"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running(tmp_path) as made:
        programs(tmp_path, {"helm": HELM, "git": "", "aws": AWS})
        yield made


def left_out(cluster: Cluster, text: str = "") -> set[str]:
    """What an installation switches off beyond the values of the bundle."""
    (cluster.here / "calls").write_text("")
    done = chart_installed(cluster.write(files_of(text)), cluster.programs)
    assert done.returncode == 0, done.stderr
    (upgrade,) = [call for call in cluster.calls if call.startswith("helm upgrade")]
    words = upgrade.split()
    return {after for word, after in pairwise(words) if word == "--set"}


def plugin(image: str, **pod: Any) -> dict[str, Any]:
    made = daemon_set("theirs", image)
    made["spec"]["template"]["spec"] |= pod
    return scheduled(made, ANYWHERE)


def released(made: dict[str, Any], release: str) -> dict[str, Any]:
    space, _, name = release.partition("/")
    release = "meta.helm.sh/release"
    made["metadata"]["annotations"] = {f"{release}-namespace": space, f"{release}-name": name}
    return made


def test_parts_of_others_are_left_out(cluster: Cluster) -> None:
    cluster.put("daemonsets.apps", "theirs", plugin(GPU), "gpu")
    operator = daemon_set("mpi-operator", "mpioperator/mpi-operator:0.6.0")
    cluster.put("deployments.apps", "theirs", operator, "mpi")
    assert left_out(cluster) == {NVIDIA, MPI}
    cluster.put("daemonsets.apps", "efa", plugin("x/aws-efa-k8s-device-plugin:v1"), "efa")
    operator = daemon_set("training", "kubeflow/training-operator:v1-8")
    cluster.put("deployments.apps", "training", operator, "kubeflow")
    assert left_out(cluster) == {NVIDIA, MPI, EFA, TRAINING}


def test_own_parts_stay(cluster: Cluster) -> None:
    own = "kube-system/dependencies"
    cluster.put("daemonsets.apps", "own", released(plugin(GPU), own), "kube-system")
    operator = released(daemon_set("own", "mpioperator/mpi-operator:0.6.0"), own)
    cluster.put("deployments.apps", "own", operator, "kube-system")
    assert left_out(cluster) == set()


ELSEWHERE = [
    {TYPE: "p5en.48xlarge"},  # the same instances in a node group of EKS have the type without ml.
    {TYPE: "ml.p4d.24xlarge"},
    {"eks.amazonaws.com/nodegroup": "theirs"},
]
HERE = [
    {TYPE: "ml.p5en.48xlarge"},
    {"sagemaker.amazonaws.com/compute-type": "hyperpod"},
    {"sagemaker.amazonaws.com/instance-group-name": "h200"},
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("selector", [*ELSEWHERE, *HERE], ids=str)
def test_only_plugins_on_our_nodes_count(cluster: Cluster, selector: dict[str, str]) -> None:
    cluster.put("daemonsets.apps", "theirs", plugin(GPU, nodeSelector=selector), "gpu")
    assert left_out(cluster) == ({NVIDIA} if selector in HERE else set())


def test_a_plugin_on_some_nodes_only_stops(cluster: Cluster) -> None:
    made = plugin(GPU, nodeSelector={TYPE: "ml.p5.48xlarge"})
    cluster.put("daemonsets.apps", "theirs", made, "gpu")
    done = chart_installed(cluster.write(files_of(TWO)), cluster.programs)
    assert (done.returncode, "not on ml.p5en.48xlarge of h200" in done.stderr) == (2, True)
    assert not [call for call in cluster.calls if call.startswith("helm upgrade")]

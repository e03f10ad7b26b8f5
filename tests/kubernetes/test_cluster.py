"""install.sh with the real kubectl and an API that remembers: a second run, and changed specs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from clustergen.kubernetes import pruning, timetable
from tests.kubernetes.planned import files_of
from tests.kubernetes.specs import SPECS
from tests.oracles import placeholders
from tests.oracles.kubernetes import OUTPUTS
from tests.support import kubernetes_api
from tests.support.kubernetes_api import Api
from tests.support.kubernetes_tools import tool

# Charts cannot be downloaded here: this remembers releases, as Helm does in the cluster.
HELM = """#!/bin/bash
printf 'helm %s\\n' "$*" >>"$HERE/calls"
mkdir -p "$HERE/releases"
case $1 in
  upgrade)
    [[ " $* " == *' --labels managed-by=clustergen '* ]] || exit 1
    name=$3
    while [[ $1 != --namespace ]]; do shift; done
    echo "$2" >"$HERE/releases/$name" ;;
  list)
    [[ " $* " != *' --pending '* ]] || exit 0
    for file in "$HERE/releases"/*; do
      [[ ! -e $file ]] || printf '%s\\t%s\\t1\\tdeployed\\n' "${file##*/}" "$(cat "$file")"
    done ;;
  uninstall) rm "$HERE/releases/$2" ;;
esac
"""
KUBECTL = """#!/bin/bash
printf 'kubectl %s\\n' "$*" >>"$HERE/calls"
exec "$KUBECTL" "$@"
"""
AWS = "#!/bin/bash\nprintf '%s\\t%s\\n' None /vol1/data\n"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster, and a folder with the programs that reach it."""

    api: Api
    here: Path

    def install(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run install.sh of the bundle of a spec, filled as deploy.sh fills it."""
        bundle = self.here / "bundle"
        shutil.rmtree(bundle, ignore_errors=True)
        for path, content in files_of(text).items():
            for folder, made in ((bundle, content), (bundle / ".filled", _filled(content))):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(made)
        (self.here / "calls").write_text("")
        return subprocess.run(
            ["/bin/bash", str(bundle / "install.sh"), *arguments],
            env={
                "PATH": f"{self.here}{os.pathsep}/usr/bin:/bin",
                "HERE": str(self.here),
                "HOME": str(self.here),
                "KUBECTL": str(tool("kubectl")),
                "KUBECONFIG": str(self.here / "kubeconfig"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def releases(self) -> set[str]:
        return {path.name for path in (self.here / "releases").iterdir()}

    @property
    def calls(self) -> list[str]:
        return (self.here / "calls").read_text().splitlines()


def _filled(text: str) -> str:
    names = placeholders.names_in(text)
    return placeholders.fill(text, {n: OUTPUTS.get(n) or placeholders.value_for(n) for n in names})


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    for name, text in {"helm": HELM, "kubectl": KUBECTL, "aws": AWS}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    with kubernetes_api.running() as api:
        api.kubeconfig(tmp_path / "kubeconfig")
        yield Cluster(api, tmp_path)


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
    # The pod ends first.
    [end] = [n for n, call in enumerate(cluster.calls) if "delete deployment timetable" in call]
    assert all(n > end for n, call in enumerate(cluster.calls) if " patch " in call)
    # Someone else holds the queue now.
    released["spec"]["stopPolicy"] = "Hold"
    assert cluster.install(undated).returncode == 0
    assert cluster.api.objects[queue]["spec"]["stopPolicy"] == "Hold"


@pytest.mark.parametrize("name", SPECS)
def test_every_object_can_be_pruned(name: str) -> None:
    script = files_of(SPECS[name])["install.sh"]
    for path, text in files_of(SPECS[name]).items():
        for item in yaml.safe_load_all(text) if path.startswith("manifests/") else ():
            assert item["metadata"]["labels"][pruning.LABEL] == pruning.OWNER
            assert f"\n{pruning.line(item)}\n" in script
            has_namespace = "namespace" in item["metadata"]
            assert has_namespace != (item["kind"] in kubernetes_api.CLUSTER_WIDE)

"""deploy.sh of a bundle, as a dry run shows it, and in an account that remembers."""

import io
import re
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from clustergen.cli import main
from tests.support.checking import Fragments
from tests.support.cloud.commands import reaching
from tests.targets.eks.test_emit import KARPENTER

pytestmark = pytest.mark.scenarios(3)

DATED = """
node_groups:
  - {name: h200, count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890,
     starts: 2026-12-10T11:30:00Z, ends: 2026-12-17T11:30:00Z}}
"""


def bundle(folder: Path, fragment: str) -> Path:
    for name, text in Fragments("eks").files(fragment).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def dry_run(folder: Path, *arguments: str) -> list[str]:
    said = io.StringIO()
    with redirect_stderr(said):
        assert main(["deploy", str(folder), "--dry-run", *arguments]) == 0
    return said.getvalue().splitlines()


def place(lines: list[str], *words: str) -> int:
    return next(i for i, line in enumerate(lines) if all(word in line for word in words))


def test_foundation_then_stack_then_software(tmp_path: Path) -> None:
    lines = dry_run(bundle(tmp_path, ""))
    foundation = place(lines, "deploy", "example-foundation")
    stack = place(lines, "deploy", "example-eks", "cluster.template.json")
    kubeconfig = place(lines, "update-kubeconfig", "example")
    install = place(lines, "helm upgrade")
    assert foundation < stack < kubeconfig < install
    assert "ParameterKey=ControlPlaneSubnet1Id" in lines[stack]
    assert "ParameterKey=VpcId" not in lines[stack]


def test_karpenter_nodes_are_deleted_before_karpenters_role(tmp_path: Path) -> None:
    lines = dry_run(bundle(tmp_path, KARPENTER), "--destroy")
    pools, nodes = place(lines, "delete nodepools"), place(lines, "delete nodeclaims")
    # A pool may be gone before its nodes are.
    classes = place(lines, "delete ec2nodeclasses")
    assert pools < nodes < classes < place(lines, "delete-stack", "example-eks")
    assert "--cascade=foreground" in lines[pools]


def test_a_cluster_whose_software_was_never_installed_is_deleted(tmp_path: Path) -> None:
    with reaching(tmp_path, files(KARPENTER)) as made:
        made.account.fail("readyz", ("", "connection refused"))
        assert made.deploy().returncode == 2
        made.deployed("--destroy")
        assert made.account.calling("delete-stack", "example-eks")


@pytest.mark.parametrize("failed", ["readyz", "helm upgrade --install kueue"])
def test_a_cluster_whose_software_is_not_complete_is_paused(tmp_path: Path, failed: str) -> None:
    with reaching(tmp_path, files(KARPENTER)) as made:
        made.account.fail(failed, ("", "connection refused"))
        assert made.deploy().returncode != 0
        for action in ("--pause", "--resume"):
            made.deployed(action)
        made.deployed()


def test_nodes_of_karpenter_are_deleted_with_the_cluster(tmp_path: Path) -> None:
    with reaching(tmp_path, files(KARPENTER)) as made:
        made.deployed()
        made.deployed("--destroy")
        assert made.account.calling("delete nodepools.karpenter.sh")
        assert made.account.calling("delete nodeclaims.karpenter.sh")
        assert made.account.pools == {}


@pytest.mark.parametrize("status", ["CREATING", "DELETING", "FAILED"])
def test_the_deletion_of_a_cluster_may_be_repeated(tmp_path: Path, status: str) -> None:
    """kubectl cannot be set up for such a cluster."""
    with reaching(tmp_path, files(KARPENTER)) as made:
        made.deployed()
        made.account.eks.status = status
        made.deployed("--destroy")
        assert made.account.calling("update-kubeconfig") == []
        assert made.account.calling("delete-stack", "example-eks")


def test_a_dry_run_prints_what_is_installed(tmp_path: Path) -> None:
    lines = dry_run(bundle(tmp_path, KARPENTER))
    assert place(lines, "helm upgrade --install kueue", "--kube-context example")
    assert not any("is installed" in line for line in lines)
    assert not (tmp_path / ".filled").exists()


EFS = "storage: [{mount: /home, type: efs}]\n"


@pytest.mark.parametrize("install", ["script", "stack"])
def test_the_readme_names_only_scripts_of_the_bundle(install: str) -> None:
    made = files(f"network: {{zone: use1-az6}}\ntargets: {{eks: {{install: {install}}}}}\n" + EFS)
    named = set(re.findall(r"\b[a-z]+\.sh\b", made["README.md"]))
    assert named <= set(made)


def files(fragment: str) -> dict[str, str]:
    return dict(Fragments("eks").files(fragment))


def test_outputs_of_stacks_reach_the_manifests(tmp_path: Path) -> None:
    with reaching(tmp_path, files(KARPENTER)) as made:
        made.deployed()
        filled = (made.folder / ".filled/manifests/karpenter.yaml").read_text(encoding="utf-8")
        assert 'role: "karpenternoderolename-0a1b"' in filled
        assert 'id: "ekssecuritygroupid-0a1b"' in filled
        assert "${" not in filled
        values = (made.folder / ".filled/values/karpenter.yaml").read_text(encoding="utf-8")
        assert "karpenterqueuename-0a1b" in values


def test_the_users_kubeconfig_is_not_changed(tmp_path: Path) -> None:
    with reaching(tmp_path, files("")) as made:
        made.deploy()
        [update] = made.account.calling("update-kubeconfig")
        assert update.endswith("--kubeconfig .filled/kubeconfig")


def test_a_pause_deletes_karpenter_nodes_and_prevents_new_ones(tmp_path: Path) -> None:
    with reaching(tmp_path, files(KARPENTER)) as made:
        made.deploy()
        made.deployed("--pause")
        [patch] = made.account.calling("patch nodepool")
        assert '{"spec":{"limits":{"cpu":"0"}}}' in patch
        assert made.account.calling("delete nodeclaims.karpenter.sh", "nodepool in (burst)")
        made.deploy("--resume")
        [patch] = made.account.calling("patch nodepool")
        assert '{"cpu":"0"}' not in patch


def test_kueue_holds_jobs_while_a_cluster_is_paused(tmp_path: Path) -> None:
    """Otherwise it deactivates those that find no nodes several times."""
    queues = "\nqueues: [{name: train, node_groups: [burst]}, {name: other, node_groups: [h200]}]"
    folder = bundle(tmp_path, KARPENTER + queues)
    lines = dry_run(folder, "--pause")
    held = place(lines, "patch clusterqueues.kueue.x-k8s.io train", "HoldAndDrain")
    assert place(lines, "patch clusterqueues.kueue.x-k8s.io other", "HoldAndDrain")
    assert held < place(lines, "patch nodepool") < place(lines, "delete nodeclaims")
    lines = dry_run(folder, "--resume")
    released = place(lines, "patch clusterqueues.kueue.x-k8s.io train", "None")
    assert place(lines, "patch nodepool") < released


TRAIN = "name: train, node_groups: [h200]"


SCALED = "aws eks update-nodegroup-config --region us-east-1 --cluster-name example"
KARPENTERS = "node_groups: [{name: h200, count: {max: 2}}]\nkubernetes: {autoscaler: karpenter}"
SAID = [
    # Spec, words of the README, whether they are there.
    ("node_groups: [{name: h200, count: {max: 2}}]", f"have: h200. `{SCALED}", True),
    ("", SCALED, False),
    (KARPENTER, "--kubeconfig example.kubeconfig delete nodepools --selector app", True),
    (KARPENTERS, SCALED, False),
    (f"queues: [{{{TRAIN}, priority: 9}}]", "priority-class: QUEUE`; queues with a", True),
    (f"queues: [{{{TRAIN}}}]", "priority-class", False),
    ("targets: {eks: {install: stack}}", "deploy twice, first without new nodes", True),
    ("tags: {a: b}", "refuses that as one update of the CDK: run `deploy.sh`", True),
    ("", "AWSServiceRoleForAmazonEKS, AWSServiceRoleForAmazonEKSNodegroup", True),
]


@pytest.mark.parametrize(("text", "words", "there"), SAID)
def test_the_readme_says_what_to_do_oneself(text: str, words: str, there: bool) -> None:
    assert (words in " ".join(files(text)["README.md"].split())) is there


def test_a_protected_cluster_is_not_deleted_in_part(tmp_path: Path) -> None:
    protected = "targets: {eks: {deletion_protection: true}}\n"
    with reaching(tmp_path, files(protected)) as made:
        made.deployed()
        made.stops("deletion_protection: false", "--destroy")
        assert made.account.calling("delete") == []
        made.render(files(""))
        made.deployed()
        made.deployed("--destroy")

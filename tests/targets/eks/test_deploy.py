"""deploy.sh of a bundle, as a dry run shows it, and with programs that answer as the real ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clustergen import renderer, resources
from tests.checking import check, check_fragment
from tests.oracles.shell import script_violations
from tests.targets.eks.test_emit import KARPENTER

OUTPUTS = {
    "VpcId": "vpc-0a1b2c3d",
    "PrivateSubnetId": "subnet-0a1b2c3d",
    "ControlPlaneSubnet1Id": "subnet-1a1b2c3d",
    "ControlPlaneSubnet2Id": "subnet-2a1b2c3d",
    "ClusterSecurityGroupId": "sg-0a1b2c3d",
    "ScriptsBucketName": "bucket",
}
OF_CLUSTER = {
    "ClusterName": "example",
    "EksSecurityGroupId": "sg-1a1b2c3d",
    "KarpenterNodeRoleName": "node-role",
    "KarpenterQueueName": "queue",
}
AWS = """#!/bin/bash
printf 'aws %s\\n' "$*" >>"$HERE/calls"
case "$*" in
  *describe-stacks*example-eks*) cat "$HERE/cluster-outputs" ;;
  *describe-stacks*) cat "$HERE/outputs" ;;
  *describe-cluster*) [[ -f $HERE/cluster ]] || exit 254 ;;
  *get-caller-identity*) cat "$HERE/caller" ;;
esac
"""


def bundle(folder: Path, fragment: str) -> Path:
    checked = check_fragment(fragment, "eks")
    for artifact in renderer.render(checked, "eks"):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(artifact.text, encoding="utf-8")
        if artifact.executable:
            path.chmod(0o755)
    return folder


def dry_run(folder: Path, *arguments: str) -> list[str]:
    command = ["bash", str(folder / "deploy.sh"), "--dry-run", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def place(lines: list[str], *words: str) -> int:
    return next(i for i, line in enumerate(lines) if all(word in line for word in words))


@pytest.mark.parametrize(
    "fragment", ["", KARPENTER, "kubernetes: {admins: ['arn:aws:iam::111122223333:role/a']}"]
)
def test_scripts_are_sound(tmp_path: Path, fragment: str) -> None:
    text = (bundle(tmp_path, fragment) / "deploy.sh").read_text(encoding="utf-8")
    assert script_violations({"deploy.sh": text}) == []


def test_foundation_then_stack_then_software(tmp_path: Path) -> None:
    lines = dry_run(bundle(tmp_path, ""))
    foundation = place(lines, "deploy", "example-foundation")
    stack = place(lines, "deploy", "example-eks", "cluster.template.json")
    kubeconfig = place(lines, "update-kubeconfig", "example")
    install = place(lines, "install.sh --context example")
    assert foundation < stack < kubeconfig < install
    assert "ControlPlaneSubnet1Id=" in lines[stack]
    assert "VpcId=" not in lines[stack].replace("SubnetId=", "")


def test_destroying_leaves_the_foundation(tmp_path: Path) -> None:
    deleted = [line for line in dry_run(bundle(tmp_path, ""), "--destroy") if "-stack " in line]
    assert len(deleted) == 1
    assert "--stack-name example-eks" in deleted[0]


def test_nodes_of_karpenter_go_before_karpenter(tmp_path: Path) -> None:
    lines = dry_run(bundle(tmp_path, KARPENTER), "--destroy")
    assert place(lines, "delete nodepools") < place(lines, "delete-stack", "example-eks")


def deploy(tmp_path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A run with programs that note what they are asked, and answer what stands in files."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("aws", AWS), ("kubectl", "#!/bin/bash\n"), ("helm", "#!/bin/bash\n")):
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    for name, values in (("outputs", OUTPUTS), ("cluster-outputs", OF_CLUSTER)):
        lines = "".join(f"{key}\t{value}\n" for key, value in values.items())
        (tmp_path / name).write_text(lines, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HERE": str(tmp_path)}
    return subprocess.run(
        ["bash", str(folder / "deploy.sh")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_the_stacks_answer_reaches_the_manifests(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "bundle", KARPENTER)
    done = deploy(tmp_path, folder)
    assert done.returncode == 0, done.stderr
    filled = (folder / ".filled/manifests/karpenter.yaml").read_text(encoding="utf-8")
    assert 'role: "node-role"' in filled
    assert 'id: "sg-1a1b2c3d"' in filled
    assert "${" not in filled
    assert "queue" in (folder / ".filled/values/karpenter.yaml").read_text(encoding="utf-8")


ADMIN = "kubernetes: {admins: ['arn:aws:iam::111122223333:role/teams/platform']}"
CALLERS = [
    ("arn:aws:sts::111122223333:assumed-role/platform/me", False, 2),
    ("arn:aws:sts::111122223333:assumed-role/platform/me", True, 0),
    ("arn:aws:sts::111122223333:assumed-role/deployer/platform", False, 0),
    ("arn:aws:iam::111122223333:user/me", False, 0),
]


@pytest.mark.parametrize(("caller", "exists", "status"), CALLERS)
def test_who_makes_the_cluster_has_an_entry_already(
    tmp_path: Path, caller: str, exists: bool, status: int
) -> None:
    (tmp_path / "caller").write_text(caller + "\n", encoding="utf-8")
    if exists:
        (tmp_path / "cluster").touch()
    done = deploy(tmp_path, bundle(tmp_path / "bundle", ADMIN))
    assert done.returncode == status, done.stderr
    assert ("leave it out of kubernetes.admins" in done.stderr) == (status == 2)


def test_the_readme_says_how_the_nodes_of_a_block_are_asked_for() -> None:
    path = resources.tree("specs") / "eks-p5en-capacity-block.yaml"
    checked = check(path.read_text(encoding="utf-8"), target="eks")
    files = {a.path: a.text for a in renderer.render(checked, "eks")}
    assert "update-nodegroup-config" in files["README.md"]

"""Who creates an EKS cluster is its administrator already, and cannot be named once more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from clustergen.findings import EXAMPLE_BASE
from clustergen.targets.hyperpod_eks.rules import EXISTING
from tests.checking import Fragments
from tests.support.cloud.commands import reaching
from tests.targets.hyperpod_eks.new_cluster import NEW, files_of_new

ADMIN = "kubernetes: {admins: ['arn:aws:iam::111122223333:role/teams/platform']}"
SESSIONS = "arn:aws:sts::111122223333:assumed-role"
CALLERS = [
    (f"{SESSIONS}/platform/me", False, 2),
    (f"{SESSIONS}/platform/me", True, 0),
    (f"{SESSIONS}/deployer/platform", False, 0),
    ("arn:aws:sts::444455556666:assumed-role/platform/me", False, 0),
    ("arn:aws:iam::111122223333:user/platform", False, 0),
    ("arn:aws:iam::111122223333:root", False, 0),
    ("arn:aws:iam::111122223333:user/me", False, 0),
]


def files(target: str) -> Mapping[str, str]:
    if target == "hyperpod-eks":
        return files_of_new(f"{NEW}{ADMIN}")
    return Fragments(target).files(ADMIN)


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
@pytest.mark.parametrize(("caller", "exists", "status"), CALLERS)
def test_the_creator_of_the_cluster_has_an_access_entry(
    tmp_path: Path, target: str, caller: str, exists: bool, status: int
) -> None:
    with reaching(tmp_path, files(target)) as made:
        made.account.answers["sts get-caller-identity"] = {"Arn": caller}
        if exists:
            made.account.eks.clusters.add("example")
        done = made.deploy()
        assert done.returncode == status, done.stderr
        assert ("remove it from kubernetes.admins" in done.stderr) == (status == 2)
        applied = made.account.calling("example-eks", "execute-change-set")
        assert bool(applied) == (status == 0)


ROLE = "arn:aws:iam::111122223333:role/teams/vision"
TEAM = f"""
queues: [{{name: train, node_groups: [h200]}}]
kubernetes:
  access:
    - {{principal: '{ROLE}', queues: [train]}}
    - {{principal: '{ROLE}', level: view}}
"""


@pytest.mark.parametrize(
    ("target", "namespace"), [("eks", "train"), ("hyperpod-eks", "hyperpod-ns-train")]
)
def test_a_team_uses_the_namespace_of_its_queue(target: str, namespace: str) -> None:
    eks = target == "eks"
    files = Fragments(target).files(TEAM) if eks else files_of_new(TEAM)
    template = json.loads(files["cluster.template.json" if eks else "eks.template.json"])
    [entry] = (
        one["Properties"]
        for one in template["Resources"].values()
        if one["Type"] == "AWS::EKS::AccessEntry"
    )
    assert entry["PrincipalArn"] == ROLE
    assert entry["KubernetesGroups"] == ["clustergen:train:edit", "clustergen:view"]
    assert "AccessPolicies" not in entry
    objects = list(yaml.safe_load_all(files["manifests/access.yaml"]))
    bound = {
        (one["subjects"][0]["name"], one["roleRef"]["name"], one["metadata"].get("namespace"))
        for one in objects
        if one["kind"].endswith("Binding")
    }
    assert bound == {
        ("clustergen:train:edit", "edit", namespace),
        ("clustergen:view", "view", None),
    }
    [edit] = (one for one in objects if one["metadata"]["name"] == "clustergen-jobs-edit")
    assert edit["metadata"]["labels"]["rbac.authorization.k8s.io/aggregate-to-edit"] == "true"
    assert "check_admins 111122223333:role/vision" in files["deploy.sh"]


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_a_team_may_create_every_kind_of_job_in_the_bundle(target: str) -> None:
    files = Fragments(target).files(TEAM) if target == "eks" else files_of_new(TEAM)
    objects = yaml.safe_load_all(files["manifests/access.yaml"])
    [edit] = (one for one in objects if one["metadata"]["name"] == "clustergen-jobs-edit")
    allowed = {
        (g, r) for rule in edit["rules"] for g in rule["apiGroups"] for r in rule["resources"]
    }
    samples = [
        one
        for path, text in files.items()
        if path.startswith(("jobs/", "smoke/"))
        for one in yaml.safe_load_all(text)
    ]
    kinds = {
        (one["apiVersion"].partition("/")[0], f"{one['kind'].lower()}s")
        for one in samples
        # Kubernetes' own role has its own kinds.
        if "." in one["apiVersion"].partition("/")[0]
    }
    assert kinds
    assert kinds <= allowed


def test_an_existing_cluster_keeps_its_entries() -> None:
    existing = Fragments("hyperpod-eks", f"{EXAMPLE_BASE}{EXISTING}\n")
    assert "K8S404" in existing.codes(TEAM)
    assert "manifests/access.yaml" not in existing.files(TEAM)

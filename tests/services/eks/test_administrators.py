"""Who creates an EKS cluster is its administrator already, and cannot be named once more."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.targets.hyperpod_eks.rules import EXISTING
from tests.support.checking import Fragments
from tests.support.cloud.commands import reaching
from tests.support.outcomes import succeeded
from tests.targets.hyperpod_eks.new_cluster import files_of_new

ADMIN = "kubernetes: {admins: ['arn:aws:iam::111122223333:role/teams/platform']}"
SESSIONS = "arn:aws:sts::111122223333:assumed-role"
USER, ROOT = (f"arn:aws:iam::111122223333:{end}" for end in ("user", "root"))
CALLERS = [
    (f"{SESSIONS}/platform/me", False, 2),
    (f"{SESSIONS}/platform/me", True, 0),
    (f"{SESSIONS}/deployer/platform", False, 0),
    ("arn:aws:sts::444455556666:assumed-role/platform/me", False, 0),
    *((caller, False, 0) for caller in (f"{USER}/platform", f"{USER}/me", ROOT)),
]


def files(target: str, text: str = ADMIN) -> Mapping[str, str]:
    """The bundle of a new cluster."""
    return Fragments("eks").files(text) if target == "eks" else files_of_new(text)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
@pytest.mark.parametrize(("caller", "exists", "status"), CALLERS)
def test_the_creator_of_the_cluster_has_an_access_entry(
    tmp_path: Path, target: str, caller: str, exists: bool, status: int
) -> None:
    with reaching(tmp_path, files(target, "") if exists else files(target)) as made:
        if exists:
            succeeded(made.deploy())
            made.render(files(target))
        made.account.caller = caller
        made.account.number = caller.split(":")[4]
        (made.folder / "deployed.json").unlink(missing_ok=True)
        done = made.deploy()
        assert done.returncode == status, done.stderr
        assert ("remove it from kubernetes.admins" in done.stderr) == (status == 2)
        applied = made.account.calling("example-eks", "execute-change-set")
        assert bool(applied) == (status == 0)


CREATOR = "arn:aws:iam::111122223333:role/platform"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("target", "entry", "fault", "status"),
    [
        ("eks", CREATOR, None, 2),
        ("hyperpod-eks", CREATOR, None, 2),
        ("eks", CREATOR.replace("platform", "deployer"), None, 0),
        # The answer is missing, and a deployer that may not ask is not stopped.
        ("eks", CREATOR, ("AccessDeniedException", "denied"), 0),
        ("eks", CREATOR, ("ExpiredTokenException", "The security token is expired"), 2),
    ],
)
def test_who_has_access_already_gets_no_second_entry(
    tmp_path: Path, target: str, entry: str, fault: tuple[str, str] | None, status: int
) -> None:
    """The creator is named later, as the README invites to: EKS would reject the whole update."""
    with reaching(tmp_path, files(target, "")) as made:
        succeeded(made.deploy())
        made.account.eks.clusters.add("example")
        made.account.eks.entries.append(entry)
        made.render(files(target))
        if fault:
            made.account.fail("list-access-entries", fault)
        done = made.deploy()
        assert done.returncode == status, done.stderr
        assert ("has access to the cluster already" in done.stderr) == (not fault and status == 2)
        assert bool(made.account.calling("example-eks", "execute-change-set")) == (status == 0)
        if entry != CREATOR:
            # The entry of the stack itself is no obstacle to the next deployment.
            succeeded(made.deploy())


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
    found = files(target, TEAM)
    template = json.loads(
        found["cluster.template.json" if target == "eks" else "eks.template.json"]
    )
    resources = template["Resources"].values()
    [entry] = (one["Properties"] for one in resources if one["Type"] == "AWS::EKS::AccessEntry")
    assert entry["PrincipalArn"] == ROLE
    assert entry["KubernetesGroups"] == ["clustergen:train:edit", "clustergen:view"]
    assert "AccessPolicies" not in entry
    objects = list(yaml.safe_load_all(found["manifests/access.yaml"]))
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
    assert "111122223333:role/vision" in found["bundle.json"]


_TRAINER = TEAM.replace("access:", "jobs: kubeflow-trainer\n  access:")
_ULTRA_SERVER = """
network: {zone: use1-dfw2-az1}
node_groups:
  - {name: h200, instance_type: p6e-gb200.36xlarge, count: 18,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
"""
JOBS = [
    ("eks", TEAM, "kubeflow.org/mpijobs"),
    ("eks", _TRAINER, "trainer.kubeflow.org/trainingruntimes"),
    ("eks", TEAM + _ULTRA_SERVER, "resource.nvidia.com/computedomains"),
    ("hyperpod-eks", TEAM, "kubeflow.org/mpijobs"),
]


@pytest.mark.parametrize(("target", "text", "one"), JOBS)
def test_a_team_may_create_every_kind_of_job_in_the_bundle(
    target: str, text: str, one: str
) -> None:
    found = files(target, text)
    objects = yaml.safe_load_all(found["manifests/access.yaml"])
    [edit] = (made for made in objects if made["metadata"]["name"] == "clustergen-jobs-edit")
    allowed = {
        (g, r) for rule in edit["rules"] for g in rule["apiGroups"] for r in rule["resources"]
    }
    texts = [text for path, text in found.items() if path.startswith(("jobs/", "smoke/"))]
    samples = [made for text in texts for made in yaml.safe_load_all(text)]
    kinds = {(m["apiVersion"].partition("/")[0], f"{m['kind'].lower()}s") for m in samples}
    # Kubernetes' own role has its own kinds.
    others = {(group, kind) for group, kind in kinds if "." in group}
    assert tuple(one.split("/")) in others
    assert others <= allowed


def test_an_existing_cluster_keeps_its_entries() -> None:
    existing = Fragments("hyperpod-eks", f"{EXAMPLE_BASE}{EXISTING}\n")
    assert "K8S404" in existing.codes(TEAM)
    assert "manifests/access.yaml" not in existing.files(TEAM)

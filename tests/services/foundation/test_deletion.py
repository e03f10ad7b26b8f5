"""What goes with a cluster: everything that a template deletes with its data is named."""

import json
from collections.abc import Iterator

import pytest

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.base.text_lists import word_set
from clustergen.services.foundation import deletion
from tests.support.checking import Fragments

STATEFUL = word_set("""
    AWS::APS::Workspace AWS::Batch::ComputeEnvironment AWS::Batch::JobQueue AWS::EC2::Volume
    AWS::ECR::Repository AWS::EFS::FileSystem AWS::EKS::Cluster AWS::EKS::Nodegroup
    AWS::FSx::FileSystem AWS::KMS::Key AWS::Logs::LogGroup AWS::PCS::Cluster
    AWS::PCS::ComputeNodeGroup AWS::S3::Bucket AWS::SageMaker::Cluster
""")
NEW = "targets: {hyperpod-eks: {eks_cluster: new}}\n"
STORED = "storage: [{mount: /home, type: efs}]\n"
ACCOUNTS = "slurm: {accounting: managed}\n"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, user: slurm, secret: '{SECRET}'}}}}\n"
TARGETS = ("parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks", "eks", "batch")
HOMES, RECORDS, OBJECTS = "home directories", "job records", "what users have made in Kubernetes"


def fragments(target: str) -> Fragments:
    base = EXAMPLE_BASE.replace("count: 2", "count: 2, efa: false")
    return Fragments(target, base + (NEW if target == "hyperpod-eks" else ""))


def deleted(files: dict[str, str]) -> Iterator[str]:
    """The types with data that the stacks of the cluster delete."""
    for path, text in files.items():
        if path.endswith(".template.json") and not path.startswith("foundation"):
            for resource in json.loads(text)["Resources"].values():
                if not str(resource.get("DeletionPolicy")).startswith("Retain"):
                    yield resource["Type"]


@pytest.mark.parametrize("target", TARGETS)
def test_what_a_template_deletes_with_its_data_has_a_line(target: str) -> None:
    spec = fragments(target)
    named = {type for loss in deletion.losses(spec.plan(STORED)) for type in loss.types}
    found = set(deleted(dict(spec.files(STORED)))) & STATEFUL
    assert found <= named
    assert found or target == "parallelcluster"


@pytest.mark.parametrize(
    ("target", "text", "named", "others"),
    [
        ("parallelcluster", "", [HOMES], [RECORDS]),
        ("parallelcluster", STORED + DATABASE, [], [HOMES, RECORDS]),
        ("parallelcluster", "head_node: {root_volume: {on_delete: retain}}\n", [], [HOMES]),
        ("pcs", ACCOUNTS, [HOMES, RECORDS], [OBJECTS]),
        ("pcs", STORED, [], [HOMES, RECORDS]),
        ("hyperpod-slurm", ACCOUNTS, [HOMES, RECORDS], [OBJECTS]),
        ("hyperpod-slurm", STORED + DATABASE, [], [HOMES, RECORDS]),
        ("hyperpod-eks", "", [OBJECTS], [HOMES, RECORDS]),
        ("eks", "", [OBJECTS], [HOMES, RECORDS]),
        ("batch", "", ["the lists of jobs"], [HOMES, RECORDS, OBJECTS]),
    ],
)
def test_what_has_no_copy_goes(target: str, text: str, named: list[str], others: list[str]) -> None:
    spec = fragments(target)
    lines = deletion.lines(spec.plan(text))
    files = spec.files(text)
    for name in named:
        (line,) = [line for line in lines if line.startswith(f"{name}: ")]
        assert line in json.loads(files["bundle.json"])["losses"]["lines"]
        assert f"- {line.partition('; save')[0]}" in files["README.md"]
    assert not [line for line in lines for name in others if line.startswith(f"{name}: ")]


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_accounts_and_roles_of_users_are_saved_and_secrets_are_not(target: str) -> None:
    (line,) = [line for line in deletion.lines(fragments(target).plan()) if OBJECTS in line]
    assert "statefulsets,serviceaccounts,roles,rolebindings --all-namespaces" in line
    assert "does not save Secrets" in line


WARNED = [
    *((target, "", True) for target in ("pcs", "hyperpod-slurm")),
    *((target, "", False) for target in ("parallelcluster", "eks", "batch")),
    ("hyperpod-slurm", STORED, False),
]


@pytest.mark.parametrize(("target", "text", "warns"), WARNED)
def test_nodes_without_shared_storage_have_a_warning(target: str, text: str, warns: bool) -> None:
    """The head node of ParallelCluster shares its home directories."""
    assert ("STG060" in fragments(target).codes(text)) is warns


@pytest.mark.parametrize(
    ("dashboards", "named"), [("managed-grafana", True), ("grafana-files", False)]
)
def test_what_users_added_to_grafana_goes_with_the_foundation(dashboards: str, named: bool) -> None:
    text = f"monitoring: {{metrics: managed-prometheus, dashboards: {dashboards}}}\n"
    files = fragments("pcs").files(text)
    assert ("The workspace of Grafana goes with the foundation" in files["README.md"]) is named
    said = json.loads(files["bundle.json"])["losses"].get("foundation", [])
    assert ("what someone made in Grafana is deleted with its workspace" in said) is named

"""Files that cannot be imported: findings with a place and a way out, whatever they hold."""

import copy
import json
from pathlib import Path

import pytest

from clustergen.cli import main
from clustergen.importing.reading import LONGEST
from tests.importing import test_batch
from tests.importing.clusters import SMALL
from tests.importing.templates import bring, codes, lossless

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 9)
)
TEXTS = {
    "no YAML": ("Resources:\n  A: [", 2),
    "a tab": ("Resources:\n\tA: 1", 2),
    "control characters": ("a: \x00", 1),
    "an unknown alias": ("a: 1\nb: *nothing", 2),
    "an anchor bomb": (BOMB, 1),
    "a list in itself": ("&a [*a]", 1),
    "too deep": ("[" * 5_000, 1),
    "too long": ("x" * (LONGEST + 1), 1),
    "an unhashable key": ("{a: 1}: 2\n? [a]\n: 3", 1),
    "a spec": ("version: 1\nname: a", 1),
    "a list": ("- a\n- b", 1),
    "text": ("hello", 1),
    "another service": (json.dumps({"Resources": {"B": {"Type": "AWS::S3::Bucket"}}}), 1),
    "a Kubernetes object": ("apiVersion: v1\nkind: Pod", 1),
}


@pytest.mark.parametrize("name", TEXTS)
def test_it_is_one_finding_with_its_place(name: str) -> None:
    text, line = TEXTS[name]
    result = bring(("given.yaml", text))
    (finding,) = result.findings
    assert finding.code == "IMP020"
    assert finding.help
    assert finding.span is not None
    assert (finding.span.file, finding.span.line) == ("given.yaml", line)
    assert len(finding.span.text) <= 200
    assert result.text == ""


WAYS_OUT = {
    "Terraform": ('resource "aws_eks_cluster" "a" {\n  name = "a"\n}\n', "--live"),
    "Terraform in a block": ("terraform {\n  a = 1\n}", "--live"),
    "placeholders": ('{"InstanceGroups": [\n{"InstanceCount": ${COUNT}}]}', "envsubst"),
    "a Helm template": ("replicas: {{ .Values.replicas }}\nname: {{ .Release.Name }}", "envsubst"),
    "a spec": ("version: 1\nname: a\nnode_groups: []\n", "clustergen check"),
    "JSON with a comment": ('{\n  // "a"\n  "InstanceGroups": []}', "remove the comment"),
    "JSON with a block comment": ('{"a": "s3://a", /* b */\n"b": []}', "remove the comment"),
    "ParallelCluster 2": ("[global]\na = b\n[cluster a]\nc = d\n", "pcluster3-config-converter"),
    "parameters of scripts": ('{"workload_manager": "slurm"}', "add the request"),
    "parameters of a template": ('[{"ParameterKey": "A", "ParameterValue": "b"}]', "the template"),
    "nothing": ("# nothing\n", "import a ParallelCluster 3 configuration"),
    "Helm values": ("replicaCount: 2\nimage: {tag: latest}\n", "import a ParallelCluster 3"),
    "nested templates": (
        json.dumps({"Resources": {"A": {"Type": "AWS::CloudFormation::Stack"}}}),
        "templates that it nests",
    ),
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_the_way_out_depends_on_what_the_file_is(name: str) -> None:
    text, way_out = WAYS_OUT[name]
    (finding,) = bring(text).findings
    assert finding.code == "IMP020"
    assert way_out in finding.help
    assert "<unicode string>" not in finding.message


def test_a_comment_in_json_has_its_place() -> None:
    (finding,) = bring('{\n  "a": "s3://a", // b\n  "c": 1}').findings
    assert finding.span is not None
    assert (finding.message, finding.span.line, finding.span.column) == (
        "JSON has no comments",
        2,
        18,
    )


def test_variables_of_terraform_are_terraform() -> None:
    (finding,) = bring(("prod.tfvars", 'region = "us-east-1"')).findings
    assert "is Terraform" in finding.message


def test_half_a_configuration_of_parallelcluster() -> None:
    (finding,) = bring("Scheduling: {Scheduler: slurm}").findings
    assert (finding.code, "with HeadNode" in finding.help) == ("IMP022", True)


CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: training, region: us-east-2}
managedNodeGroups: [{name: cpu, instanceType: m7i.4xlarge}]
"""


def test_an_object_of_kubernetes_beside_the_cluster_is_dropped() -> None:
    object = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
    result = lossless(bring(CLUSTER + object))
    (dropped,) = [each for each in result.findings if "Namespace" in each.message]
    assert dropped.code == "IMP003"
    assert dropped.span is not None
    assert dropped.span.line == 6


def test_two_clusters_in_one_file_are_an_error() -> None:
    (finding,) = bring(f"{CLUSTER}---\n{CLUSTER.replace('training', 'other')}").findings
    assert (finding.code, finding.span and finding.span.line) == ("IMP020", 6)
    cluster = {"Type": "AWS::PCS::Cluster", "Properties": {"Name": "a"}}
    other = {"Type": "AWS::PCS::Cluster", "Properties": {"Name": "b"}}
    (finding,) = bring({"Resources": {"A": cluster, "B": other}}).findings
    assert (finding.code, "2 clusters: a, b" in finding.message) == ("IMP020", True)


def test_descriptions_one_after_the_other_in_a_file() -> None:
    from tests.importing.test_eks import CLUSTER, NODEGROUP, VERSIONS

    parts = ({"cluster": CLUSTER}, {"nodegroup": NODEGROUP}, VERSIONS)
    together = "\n".join(json.dumps(each, indent=2) for each in parts)
    result = lossless(bring(together))
    assert result.text == bring(("file-0.json", json.dumps(parts[0])), *parts[1:]).text
    (place,) = {f.span.line for f in result.findings if f.span and "zones" in f.message}
    assert "cluster" in together.splitlines()[place - 1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_of_other_editors_is_read(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_bytes(CLUSTER.encode(encoding))
    assert main(["import", str(file)]) == 0
    assert "name: training" in capsys.readouterr().out


def test_what_is_no_text_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_bytes(b"\x89PNG\xff\xfe")
    assert main(["import", str(file)]) == 2
    assert "not text in UTF-8" in capsys.readouterr().err


def test_an_empty_file_has_no_place() -> None:
    assert codes(bring("")) == ["IMP020"]


def test_a_secret_in_a_file_is_not_copied() -> None:
    secret = "AKIA" + "A1B2C3D4E5F6G7H8"
    group = {
        "InstanceGroupName": "workers",
        "InstanceType": "ml.m5.xlarge",
        "InstanceCount": 1,
        "LifeCycleConfig": {"SourceS3Uri": f"s3://{secret}/x", "OnCreate": "on_create.sh"},
        "ExecutionRole": "arn:aws:iam::111122223333:role/nodes",
    }
    eks = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/eks"}}
    result = bring({"ClusterName": "a", "Orchestrator": eks, "InstanceGroups": [group]})
    shown = result.text + "".join(finding.message + finding.help for finding in result.findings)
    assert secret not in shown
    assert any("looks like a secret" in finding.message for finding in result.findings)


SLURM = "Scheduler: slurm\n  SlurmSettings:"
# What takes the place of a text in SMALL, and the errors.
ODD_KEYS = [
    ("HeadNode:", "HeadNode:\n  1: 2", {"OVL002"}),
    ("Image: {", "Image: {1: 2, ", {"OVL002"}),
    ("HeadNode:", "Tags: [{1: 2}]\nHeadNode:", {"OVL002", "OVL005"}),
    ("HeadNode:", "SharedStorage: [{1: 2}]\nHeadNode:", {"OVL002", "OVL005"}),
    ("Scheduler: slurm", f"{SLURM} {{CustomSlurmSettings: [{{1: 2}}]}}", {"SLM004", "SLM008"}),
    # The value that it repeats stays a number.
    ("c7i.4xlarge", "c7i.4xlarge, MaxCount: &n 4, Tags: [{*n : x}]", {"OVL002", "OVL005"}),
]


@pytest.mark.parametrize(("text", "other", "codes"), ODD_KEYS)
def test_a_key_that_is_no_text_is_read_as_text(text: str, other: str, codes: set[str]) -> None:
    result = bring(("given.yaml", SMALL.replace(text, other)))
    assert {each.code for each in result.errors} == codes
    assert ("max: 4" in result.text) == ("MaxCount" in other)


def test_a_name_that_is_a_number_is_no_reference() -> None:
    template = copy.deepcopy(test_batch.TEMPLATE)
    template["Resources"]["Queue"]["Properties"]["JobQueueName"] = 5
    assert "JobQueueName: 5" in bring(template, adopt=True).text


def test_a_secret_in_place_of_its_arn_is_not_copied() -> None:
    database = "{Database: {Uri: 'db:3306', UserName: slurm, PasswordSecretArn: hunter2x}}"
    result = bring(("given.yaml", SMALL.replace("Scheduler: slurm", f"{SLURM} {database}")))
    assert "IMP007" in codes(result)
    assert "hunter2x" not in f"{result}"

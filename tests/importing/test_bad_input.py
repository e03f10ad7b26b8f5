"""Files that cannot be imported: findings with a place and a way out, whatever they hold."""

from __future__ import annotations

import json

import pytest

from clustergen.importing.reading import LONGEST
from tests.importing.templates import bring, codes

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
    assert any("looks like a key" in finding.message for finding in result.findings)

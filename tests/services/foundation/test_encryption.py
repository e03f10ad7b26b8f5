"""What docs/encryption.md says of keys is so in the bundles."""

import json
from collections.abc import Iterator

import pytest

from clustergen.base.artifacts import Json
from clustergen.base.findings import errors
from tests.support.checking import Fragments

KEY = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
TARGETS = ("parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks", "eks")


def resources(target: str, text: str, type: str) -> Iterator[tuple[str, Json]]:
    for path, content in Fragments(target).files(text).items():
        if path.endswith(".template.json"):
            for name, resource in json.loads(content)["Resources"].items():
                if resource["Type"] == type:
                    yield name, resource["Properties"]


@pytest.mark.parametrize("target", TARGETS)
def test_a_key_of_a_file_system_reaches_it(target: str) -> None:
    text = f"storage: [{{mount: /fsx, type: fsx-lustre, size: 4800GiB, kms_key: '{KEY}'}}]"
    [(_, found)] = resources(target, text, "AWS::FSx::FileSystem")
    assert found["KmsKeyId"] == KEY


@pytest.mark.parametrize("target", ["pcs", "eks"])
def test_an_overlay_gives_a_log_group_a_key(target: str) -> None:
    names = [name for name, _ in resources(target, "", "AWS::Logs::LogGroup")]
    assert names
    groups = ", ".join(f"{name}: {{Properties: {{KmsKeyId: '{KEY}'}}}}" for name in names)
    text = f"targets: {{{target}: {{overlay: {{Resources: {{{groups}}}}}}}}}"
    assert list(errors(Fragments(target).findings(text))) == []
    for _, group in resources(target, text, "AWS::Logs::LogGroup"):
        assert group["KmsKeyId"] == KEY

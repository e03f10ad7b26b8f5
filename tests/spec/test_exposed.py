"""What an import leaves to fill in is found wherever it stands."""

from __future__ import annotations

import pytest

from clustergen.base.findings import errors
from clustergen.spec.exposed import with_stand_ins
from tests.support.checking import check_fragment

FOUND = [
    ("--user FILL-IN-USER --password FILL-IN-PASSWORD", ["FILL-IN-USER", "FILL-IN-PASSWORD"]),
    ("s3://fill-in-bucket/setup.sh", ["fill-in-bucket"]),
    ("sg-00000000000000001", ["sg-00000000000000001"]),
    ("pcs_0000000000", ["pcs_0000000000"]),
    ("arn:aws:iam::000000000000:role/FILL-IN-Role", ["FILL-IN-Role"]),
    ("arn:aws:iam::000000000000:role/nodes", ["000000000000"]),
    ("arn:aws:kms:us-east-1:111122223333:key/mrk-" + "0" * 32, []),
    ("subnet-0a1b2c3d4e5f67890", []),
    ("s3://backfill-in-progress/run-00000000/x", []),
    ("my-vpc-00000000", []),
    ("lora-000000001", []),
    ("00000000-0000-0000-0000-000000000000", []),
]


@pytest.mark.parametrize(("text", "words"), FOUND)
def test_each_stand_in_is_named(text: str, words: list[str]) -> None:
    found = list(with_stand_ins({"targets": [text]}, ()))
    assert [each.message for each in found] == [f"{word} is a stand-in" for word in words]
    assert {each.path for each in found} <= {("targets", 0)}


GROUP = "node_groups: [{{name: gpu, instance_type: {}, count: 2, efa: {}}}]\n"
OVERLAY = "targets: {{parallelcluster: {{overlay: {{Monitoring: {{DetailedMonitoring: {}}}}}}}}}"
PLACES = [
    GROUP.format("p5.48xlarge", "FILL-IN-efa"),
    GROUP.format("FILL-IN-type", "true"),
    OVERLAY.format("FILL-IN-x"),
]


@pytest.mark.parametrize("text", PLACES)
def test_a_stand_in_is_one_error(text: str) -> None:
    """What a rule says of its form says nothing about the value."""
    assert [each.code for each in errors(check_fragment(text).findings)] == ["SPC061"]

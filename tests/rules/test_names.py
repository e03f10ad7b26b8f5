"""Names: each given once, and each that is used given."""

import pytest

from tests.support.checking import codes, found, message_and_help
from tests.support.tables import rows

CPU = "node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 1}]\n"

EXPECTED = rows("""
queues: [{name: train, node_groups: [h200, h200]}]
    SPC030 | 'h200' is listed twice | remove one
queues: [{name: train, node_groups: [h200, h100]}]
    SPC031 | no node group is called 'h100' | did you mean h200?
queues: [{name: train, node_groups: [h200, xyz]}]
    SPC031 | no node group is called 'xyz' | the spec defines h200
software: {scripts: [{run: s3://bucket/setup.sh, node_groups: [h20]}]}
    SPC031 | no node group is called 'h20' | did you mean h200?
queues: [{name: a, node_groups: [h200], default: true}, {name: b, node_groups: [h200],
  default: true}]
    SPC032 | queue 'a' is already the default | keep default: true in one of them
node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 1}]
queues: [{name: train, node_groups: [h200]}]
    SPC033 | node group 'cpu' is in no queue | name it in a queue, or add {name: cpu, node_groups:
    [cpu]}
users: [{name: alice, uid: 2001}, {name: alice, uid: 2002}]
    SPC034 | 'alice' is taken by users[0] | give one of them another name
""")


@pytest.mark.parametrize(("fragment", "code", "message", "help"), EXPECTED)
def test_expected_findings(fragment: str, code: str, message: str, help: str) -> None:
    assert message_and_help(fragment, code) == (message, help)


def test_node_groups_of_one_name_do_not_hide_each_other() -> None:
    group = "{name: h200, instance_type: p5en.48xlarge, count: 2}"
    text = f"""\
version: 1
name: example
region: us-east-1
network: {{zone: use1-az6}}
node_groups: [{group}, {group}]
"""
    assert [(f.code, f.path) for f in found(text)] == [("SPC030", ("node_groups", 1, "name"))]


FINE = [
    CPU,
    "queues: [{name: h200, node_groups: [h200]}]",
    "queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200], default: true}]",
]


@pytest.mark.parametrize("fragment", FINE)
def test_no_findings(fragment: str) -> None:
    assert codes(fragment) == []

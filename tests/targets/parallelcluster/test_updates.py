"""What ParallelCluster says to changes of a spec while nodes run."""

from __future__ import annotations

import pytest

from clustergen.targets.parallelcluster import TARGET
from tests.oracles.parallelcluster.updates import changes
from tests.targets.parallelcluster.planned import plan_of

OUTSIDE = "network: {ssh_from: [203.0.113.0/24]}\n"
LOGIN = "login: {instance_type: m7i.large}\n"
USER = "users: [{name: alice, uid: 2001}]\n"
SCRIPTS = """
software:
  scripts:
    - {run: "s3://my-bucket/a.sh", when: start, on: [head, login]}
    - {run: "https://example.com/b.sh", on: [head, login, compute]}
"""
TWO = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.large, count: 2}]\n"
QUEUES = "queues: [{{name: a, node_groups: [h200]{0}}}, {{name: b, node_groups: [cpu]{1}}}]\n"

ACCEPTED = {
    "the first user": (LOGIN, LOGIN + USER),
    "the last user leaves": (LOGIN + USER, LOGIN),
    "the first script": (LOGIN, LOGIN + SCRIPTS),
    "containers": (LOGIN, LOGIN + "software: {containers: pyxis}\n"),
    "login nodes, with users from outside": (OUTSIDE, OUTSIDE + LOGIN),
    "login nodes": ("", LOGIN),
    "another default queue": (
        TWO + QUEUES.format(", default: true", ""),
        TWO + QUEUES.format("", ", default: true"),
    ),
}


@pytest.mark.parametrize("change", ACCEPTED)
def test_parallelcluster_accepts_the_change_while_nodes_run(change: str) -> None:
    before, after = (TARGET.document(plan_of(text)) for text in ACCEPTED[change])
    found = changes(before, after, login="LoginNodes" in before)
    assert found, "without a change, ParallelCluster refuses the update"
    assert [each for each in found if not each.accepted] == []


def test_login_nodes_leave_once_they_are_stopped() -> None:
    before, after = (TARGET.document(plan_of(text)) for text in (OUTSIDE + LOGIN, OUTSIDE))
    assert [each for each in changes(before, after, login=False) if not each.accepted] == []

"""A user who comes or goes changes a table that nodes read, and no node."""

import json

import pytest

from clustergen.bundle.effects import effects
from clustergen.services.slurm import accounts, users
from tests.support.checking import Fragments

SLURM = ("parallelcluster", "pcs", "hyperpod-slurm")
SPEC = """
login: {{instance_type: m7i.large}}
head_node: {{instance_type: m7i.2xlarge}}
software: {{containers: {}}}
users: [{{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA alice}}{}]
"""
# What no node runs: the checks of PCS and ParallelCluster name every user.
READ = {users.TABLE, accounts.TABLE, "README.md", "verify.sh"}


def files(target: str, more: str = "", containers: str = "docker") -> dict[str, str]:
    return dict(Fragments(target).files(SPEC.format(containers, more)))


@pytest.mark.parametrize("containers", ["docker", "pyxis"])
@pytest.mark.parametrize("target", SLURM)
def test_only_the_table_changes(target: str, containers: str) -> None:
    one = files(target, "", containers)
    two = files(target, ", {name: bob, uid: 2002}", containers)
    changed = {path for path in {*one, *two} if one.get(path) != two.get(path)}
    assert users.TABLE in changed
    assert changed <= READ
    assert users.TABLE in one["bundle.json"]


BOB = ", {name: bob, uid: 2002}"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:a-AbCdEf"
DATABASE = f"{{endpoint: db.example, secret: '{SECRET}'}}"


@pytest.mark.parametrize("target", SLURM)
def test_users_of_accounts_change_tables_only(target: str) -> None:
    accounting = "managed" if target == "pcs" else DATABASE
    text = SPEC + "slurm: {{accounting: {}, accounts: [{{name: vision, users: [{}]}}]}}"
    one = Fragments(target).files(text.format("docker", "", accounting, "alice"))
    two = Fragments(target).files(text.format("docker", BOB, accounting, "alice, bob"))
    assert two[accounts.TABLE].count("\nuser bob vision\n") == 1
    assert {path for path in {*one, *two} if one.get(path) != two.get(path)} <= READ
    assert accounts.TABLE in one["bundle.json"]
    assert [each.subject for each in effects(one, two)] == [accounts.TABLE, "users.tsv: bob"]


WITH_KEY = BOB.replace("}", ", ssh_key: ssh-ed25519 AAAA bob}")
RENAMED = [
    ("in-place", "locks bob on nodes that run"),
    ("new-nodes-only", "creates rob with the id of bob on new nodes only"),
]
Expected = list[tuple[str, str]]
CHANGES = [
    ("", BOB, [("in-place", "creates bob on all nodes within minutes")]),
    (BOB, "", [("in-place", "locks bob on nodes that run")]),
    (BOB, WITH_KEY, [("in-place", "adds the key of bob")]),
    (BOB, BOB.replace("2002", "2003"), [("new-nodes-only", "gives bob the id 2003 on new nodes")]),
    (BOB, BOB, []),
    (BOB, BOB.replace("bob", "rob"), RENAMED),
]


@pytest.mark.parametrize("target", SLURM)
@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
def test_users_replace_nothing(target: str, before: str, after: str, expected: Expected) -> None:
    found = effects(files(target, before), files(target, after))
    assert [each.kind for each in found] == [kind for kind, _ in expected]
    for each, (_, text) in zip(found, expected, strict=True):
        assert text in each.text


@pytest.mark.parametrize("target", SLURM)
def test_nodes_of_a_bundle_without_users_forget_those_they_had(target: str) -> None:
    """Nodes that are not replaced, such as the head node, still follow the table."""
    key = f"clusters/example/{target}-users.tsv"
    known = json.loads(Fragments(target).files("")["bundle.json"])["tables"]
    assert {"key": key, "empty": "# end 0"} in known

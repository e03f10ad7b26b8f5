"""What ParallelCluster says to changes of a spec while nodes run."""

import functools
from itertools import pairwise
from typing import Any

import pytest

from clustergen.bundle.effects import cluster_yaml
from clustergen.targets.parallelcluster import TARGET
from tests.support.tiers import IN_REAL
from tests.targets.parallelcluster.planned import plan_of
from tests.targets.parallelcluster.specs import SPECS
from tests.validators.parallelcluster.updates import Change, changes_of_all

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
    "a group with other placement in a queue": (
        "",
        TWO + "queues: [{name: h200, node_groups: [h200, cpu]}]",
    ),
    "another default queue": (
        TWO + QUEUES.format(", default: true", ""),
        TWO + QUEUES.format("", ", default: true"),
    ),
}


def document(text: str) -> dict[str, Any]:
    return TARGET.document(plan_of(text))


@IN_REAL
def test_login_nodes_stop_change_and_leave_one_after_the_other() -> None:
    stopped = "login: {instance_type: m7i.large, count: 0}\n"
    steps = (LOGIN, stopped, stopped.replace("m7i.large", "m7i.xlarge"), "")
    documents = [document(OUTSIDE + step) for step in steps]
    counts = [d.get("LoginNodes", {}).get("Pools", [{}])[0].get("Count") for d in documents]
    assert counts == [1, 0, 0, None]
    first, *later = pairwise(documents)
    # They may also leave once they were stopped by hand.
    later.append((documents[0], documents[-1]))
    for found in (*changes_of_all([first]), *changes_of_all(later, login=False)):
        assert [each for each in found if not each.accepted] == []


DRAIN, TERMINATE, STOP = ("DRAIN", "TERMINATE", "COMPUTE_FLEET_STOP")
EDITS = [
    ("SlurmQueues.0.ComputeResources.0.MaxCount", 1),
    ("SlurmQueues.0.ComputeResources.0.MaxCount", 9),
    ("SlurmQueues.0.ComputeResources.0.MinCount", 0),
    ("SlurmQueues.0.ComputeResources.0.Networking", {"PlacementGroup": {"Name": "a"}}),
    ("SlurmQueues.0.Networking.SubnetIds", ["${PrivateSubnetId}", "subnet-0a1b2c3d4e5f67890"]),
    ("SlurmQueues.0.Image", {"CustomAmi": "ami-0a1b2c3d4e5f67890"}),
]


def edited(strategy: str, path: str, value: object) -> dict[str, Any]:
    """A document with another value at a path of its scheduling."""
    made = document(OUTSIDE + LOGIN)
    at: Any = made["Scheduling"]
    at["SlurmSettings"]["QueueUpdateStrategy"] = strategy
    *steps, last = path.split(".")
    for step in steps:
        at = at[int(step)] if step.isdigit() else at[step]
    at[last] = value
    return made


@functools.cache
def answered() -> list[tuple[tuple[Any, Any], list[Change]]]:
    """Updates, those of ACCEPTED first, and what ParallelCluster says to each."""
    own = document(OUTSIDE + LOGIN)
    documents = [document(text) for text in SPECS.values()]
    pairs = [
        *((document(before), document(after)) for before, after in ACCEPTED.values()),
        *(
            (own, edited(strategy, *edit))
            for strategy in (DRAIN, TERMINATE, STOP)
            for edit in EDITS
        ),
        *pairwise(documents),
        *pairwise(reversed(documents)),
    ]
    return [*zip(pairs, changes_of_all(pairs), strict=True)]


@pytest.mark.parametrize("change", ACCEPTED)
def test_parallelcluster_accepts_the_change_while_nodes_run(change: str) -> None:
    _, found = answered()[[*ACCEPTED].index(change)]
    assert found, "without a change, ParallelCluster refuses the update"
    assert [each for each in found if not each.accepted] == []


def test_the_comparison_of_files_agrees_with_parallelcluster() -> None:
    """Both accept an update while nodes run, or neither."""
    for (before, after), answer in answered():
        effects = list(cluster_yaml.effects(before, after, ()))
        ours = {each.cause for each in effects if each.kind in ("refused", "needs-stop")}
        theirs = {each.path for each in answer if not each.accepted}
        assert bool(ours) == bool(theirs), (ours, theirs)
        sections = [{path.partition("[")[0] for path in paths} for paths in (ours, theirs)]
        assert sections[0] <= sections[1]
        assert not [each for each in effects if each.kind == "unknown"]

"""Access entries keep their ids when others come and go, also those of an earlier version."""

import json
from pathlib import Path

import pytest

from clustergen.services.eks import control_plane
from tests.support.checking import Fragments
from tests.support.cloud.commands import Bundle, reaching

ROLE = "arn:aws:iam::111122223333:role/"
NETWORK = "targets: {{{}: {{}}}}\n"


def spec(admins: str, viewers: str = "") -> str:
    people = ", ".join(f"{ROLE}{name}" for name in admins.split())
    views = ", ".join(f"{{principal: {ROLE}{n}, level: view}}" for n in viewers.split())
    return f"kubernetes: {{admins: [{people}], access: [{views}]}}\n"


def files(target: str, text: str) -> dict[str, str]:
    more = "targets: {hyperpod-eks: {eks_cluster: new}}\nnetwork: {zone: use1-az6}\n"
    return dict(Fragments(target).files((more if target == "hyperpod-eks" else "") + text))


def entries(bundle: Bundle) -> dict[str, str]:
    """Logical id -> role, in the stack."""
    made = bundle.account.cloudformation.stacks["example-eks"].resources
    return {
        id: one["Properties"]["PrincipalArn"].removeprefix(ROLE)
        for id, one in made.items()
        if one["Type"] == "AWS::EKS::AccessEntry"
        and str(one["Properties"]["PrincipalArn"]).startswith(ROLE)
    }


def deployed(bundle: Bundle, target: str, text: str) -> dict[str, str]:
    bundle.render(files(target, text))
    bundle.deployed()
    return entries(bundle)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_the_first_administrator_leaves_and_the_others_stay(target: str, tmp_path: Path) -> None:
    with reaching(tmp_path, files(target, spec("a b", "c d"))) as bundle:
        first = deployed(bundle, target, spec("a b", "c d"))
        assert sorted(first.values()) == ["a", "b", "c", "d"]
        left = deployed(bundle, target, spec("b", "d"))
        assert left == {id: name for id, name in first.items() if name in "bd"}
        # A viewer becomes an administrator: the same entry.
        assert deployed(bundle, target, spec("b d")) == left


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_entries_of_an_earlier_version_keep_their_ids(target: str, tmp_path: Path) -> None:
    """EKS rejects a second entry, and CloudFormation creates before it deletes."""
    old = {"a": "ClusterAdmin1", "b": "ClusterAdmin2", "c": "ClusterAccess1"}
    path = {"eks": "cluster", "hyperpod-eks": "eks"}[target] + ".template.json"
    made = files(target, spec("a b", "c"))
    template = made[path]
    for name, id in old.items():
        template = template.replace(control_plane.entry_id(f"{ROLE}{name}"), id)
    with reaching(tmp_path, made) as bundle:
        bundle.deployed()
        stack = bundle.account.cloudformation.stacks["example-eks"]
        stack.template = json.loads(template)
        for name, id in old.items():
            stack.ids[id] = stack.ids.pop(control_plane.entry_id(f"{ROLE}{name}"))
        assert entries(bundle) == {id: name for name, id in old.items()}
        new = control_plane.entry_id(f"{ROLE}d")
        expected = {"ClusterAdmin2": "b", "ClusterAccess1": "c", new: "d"}
        assert deployed(bundle, target, spec("b d", "c")) == expected

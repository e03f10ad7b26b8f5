"""The foundation is the same for every target of a spec: a cluster can move, its data stays."""

import json

import pytest

from clustergen import targets
from clustergen.checking import compiler
from clustergen.services import foundation
from tests.support.checking import EXAMPLES, Fragments, check_example
from tests.validators.cloudformation import check, lint


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_target_of_a_spec_has_the_same(name: str) -> None:
    for requested in ((), targets.NAMES):
        plans = compiler.check([EXAMPLES[name]], targets=requested).plans.values()
        first, *others = [foundation.emit(plan) for plan in plans]
        assert first is not None
        assert all(other == first for other in others)


ROLE = {"NodeRole", "NodeInstanceProfile"}
POLICIES = {"ScriptsPolicy", "SessionPolicy"}
LOGIN = {"LoginSecurityGroup"}
HYPERPOD = {"HyperPodExecutionRole"}
CONTROL_PLANE = {
    *("ControlPlaneSubnet1", "ControlPlaneSubnet2"),
    *("SystemSubnet1", "SystemSubnet1RoutesAssociation"),
    *("SystemSubnet2", "SystemSubnet2RoutesAssociation"),
}
KARPENTER = {"HyperPodClusterRole"}
ALL = {*ROLE, *POLICIES, *LOGIN, *HYPERPOD, *CONTROL_PLANE, *KARPENTER}
NEEDS = [
    # Targets that the spec names, target asked for, which of the parts above there are.
    ("{parallelcluster: {}}", "", {*POLICIES, *LOGIN}),
    ("{pcs: {}}", "", {*ROLE, *LOGIN}),
    ("{hyperpod-slurm: {}}", "", HYPERPOD),
    ("{hyperpod-eks: {}}", "", {*HYPERPOD, *CONTROL_PLANE, *KARPENTER}),
    ("{eks: {}}", "", CONTROL_PLANE),
    ("{pcs: {}, eks: {}}", "eks", {*ROLE, *LOGIN, *CONTROL_PLANE}),
    # What is asked for counts like what is named; without names every target may follow.
    ("{pcs: {}}", "eks", {*ROLE, *LOGIN, *CONTROL_PLANE}),
    ("{}", "eks", ALL),
    ("{}", "", ALL),
]


@pytest.mark.parametrize(("named", "requested", "expected"), NEEDS)
def test_it_has_what_the_targets_need(named: str, requested: str, expected: set[str]) -> None:
    text = f"targets: {named}\nkubernetes: {{autoscaler: karpenter}}"
    checked = Fragments(requested).checked(text)
    plan = next(iter(checked.plans.values()))
    assert ALL & set(foundation.build(plan).resources) == expected


def test_the_group_of_login_nodes_is_there_where_hyperpod_has_them() -> None:
    login = "login: {instance_type: m7i.large}"
    for more, there in ((login, False), (f"{login}\nnetwork: {{ssh_from: [10.0.0.0/8]}}", True)):
        text = f"targets: {{hyperpod-slurm: {{}}, hyperpod-eks: {{}}}}\n{more}"
        for target in ("hyperpod-slurm", "hyperpod-eks"):
            plan = Fragments(target).plan(text)
            assert ("LoginSecurityGroup" in foundation.build(plan).resources) is there


def test_validators_accept_the_foundation_of_the_spec_that_no_target_takes() -> None:
    """`tests/targets/test_specs.py` validates the others, with the rest of their bundles."""
    plan = check_example("every-field", targets.NAMES[0]).plans[targets.NAMES[0]]
    made = foundation.emit(plan)
    assert made is not None
    assert check(json.loads(made.text), plan.region) == []
    assert lint({plan.name: made.text}, [plan.region]) == []


def test_another_target_does_not_rename_the_bucket() -> None:
    """A new name would replace it, with the scripts that running nodes read."""
    first, second = (
        foundation.build(next(iter(Fragments("").checked(f"targets: {named}").plans.values())))
        for named in ("{pcs: {}}", "{pcs: {}, hyperpod-slurm: {}}")
    )
    assert first.resources["ScriptsBucket"] == second.resources["ScriptsBucket"]

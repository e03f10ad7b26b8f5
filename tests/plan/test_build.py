"""What a plan decides where the spec leaves it open, for each target."""

import dataclasses
import json
from typing import Any

import pytest

from clustergen import targets
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.plan.model import NodeGroup, Plan
from clustergen.spec.source import read_text
from clustergen.targets.eks import options as eks
from clustergen.targets.pcs import options as pcs
from tests.support.checking import Fragments, check_fragment
from tests.support.tables import flow
from tools.spec import declared

PC, PCS = "parallelcluster", "pcs"


def planned(fragment: str, target: str = "") -> Plan:
    return Fragments(target).faulty_plan(fragment)


def group(fields: str, target: str = "") -> NodeGroup:
    return planned(f"node_groups: [{{name: h200, {fields}}}]", target).node_groups[0]


# Fields of the example's group; capacity, EFA and placement as planned.
GROUPS: list[tuple[str, str, bool, str]] = [
    ("count: 2", "on-demand", True, "cluster"),
    ("capacity: on-demand", "on-demand", True, "cluster"),
    ("capacity: spot", "spot", True, "cluster"),
    ("capacity: {reservation: cr-0a1b2c3d}", "reservation", True, "none"),
    ("capacity: {capacity_block: cr-0a1b2c3d}", "capacity-block", True, "none"),
    ("capacity: {capacity_block: cr-0a1b2c3d}, placement: cluster", "capacity-block", True,
     "cluster"),
    ("efa: false", "on-demand", False, "none"),
    ("placement: none", "on-demand", True, "none"),
    ("placement: {group: mine}", "on-demand", True, "existing"),
    ("instance_type: m7i.4xlarge", "on-demand", False, "none"),
    ("instance_type: m7i.4xlarge, placement: cluster", "on-demand", False, "cluster"),
    ("instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge]", "on-demand", True,
     "cluster"),
    ("instance_type: null, instance_types: [m7i.4xlarge, m6i.4xlarge]", "on-demand", False, "none"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "capacity", "efa", "placement"), GROUPS)
def test_capacity_efa_and_placement(fields: str, capacity: str, efa: bool, placement: str) -> None:
    found = group(fields)
    assert (found.capacity.kind, found.efa, found.placement.kind) == (capacity, efa, placement)


# The proven form of each target: interfaces, and how many of them take an address.
FORMS = [
    ("count: 2", PC, "efa-only", 17, 1),
    ("count: 2", PCS, "efa", 16, 16),
    ("efa_layout: efa-only", PCS, "efa-only", 17, 1),
    ("efa: false", PC, "efa-only", 16, 16),
    ("efa: false", PCS, "efa", 1, 1),
]


@pytest.mark.parametrize(("fields", "target", "layout", "interfaces", "addresses"), FORMS)
def test_interfaces(fields: str, target: str, layout: str, interfaces: int, addresses: int) -> None:
    found = group(fields, target)
    assert found.efa_layout == layout
    assert (len(found.interfaces), found.addresses) == (interfaces, addresses)


QUEUES: list[tuple[str, list[list[Any]]]] = flow("""
- ['{}', [[h200, [h200], true]]]
- ['node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 1}]',
   [[h200, [h200], true], [cpu, [cpu], false]]]
- ['queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]}]',
   [[a, [h200], true], [b, [h200], false]]]
- ['queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200], default: true}]',
   [[a, [h200], false], [b, [h200], true]]]
""")


@pytest.mark.parametrize(("fragment", "expected"), QUEUES)
def test_queues(fragment: str, expected: list[list[Any]]) -> None:
    found = planned(fragment).queues
    assert [[q.name, [g.name for g in q.node_groups], q.default] for q in found] == expected


DECISIONS = [
    ("node_groups: [{name: h200, count: 2}]", "h200: EFA is on, because p5en.48xlarge supports it"),
    ("node_groups: [{name: h200, count: 2}]", "h200: cluster placement group, for EFA"),
    (
        "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d}}]",
        "h200: its Capacity Block determines the placement",
    ),
]


@pytest.mark.parametrize(("fragment", "text"), DECISIONS)
def test_decisions_are_listed(fragment: str, text: str) -> None:
    assert text in [decision.text for decision in planned(fragment).decisions]


@pytest.mark.parametrize("text", ["efa: true, placement: cluster", "efa: false"])
def test_values_in_the_spec_are_not_decisions(text: str) -> None:
    paths = [d.path for d in planned(f"node_groups: [{{name: h200, {text}}}]").decisions]
    assert not [path for path in paths if path[:1] == ("node_groups",)]


FIELDS: list[tuple[str, Any, Any]] = [
    ("monitoring: {log_retention: 36h}", lambda p: p.monitoring.log_retention_days, 2),
    ("slurm: {accounting: true}", lambda p: p.slurm.accounting, "managed"),
    ("slurm: {idle_timeout: 90s}", lambda p: p.slurm.idle_timeout, 90),
    ("software: {scripts: [{run: s3://bucket/a.sh}]}",
     lambda p: p.software.scripts[0].node_groups, ("h200",)),
    ("software: {scripts: [{run: s3://bucket/a.sh}]}",
     lambda p: p.software.scripts[0].on, ("head", "login", "compute")),
    ("network: {ssh_from: [203.0.113.7]}", lambda p: p.network.ssh_from, ("203.0.113.7/32",)),
    ("region: us-gov-west-1\nnetwork: {zone: us-gov-west-1a}", lambda p: p.partition, "aws-us-gov"),
    ("region: cn-north-1\nnetwork: {zone: cn-north-1a}", lambda p: p.partition, "aws-cn"),
    ("login: {instance_type: m7i.large, count: 2}", lambda p: p.login.count, 2),
    ("{}", lambda p: p.login, None),
    ("node_groups: [{name: h200, count: {min: 1, max: 9}}]", lambda p: p.max_nodes, 9),
]  # fmt: skip


@pytest.mark.parametrize(("fragment", "field", "expected"), FIELDS)
def test_fields(fragment: str, field: Any, expected: Any) -> None:
    assert field(planned(fragment)) == expected


def test_only_a_target_with_a_head_node_plans_one() -> None:
    assert planned("{}", PC).head is not None
    assert planned("{}", PCS).head is None


@pytest.mark.parametrize("name", targets.NAMES)
def test_options_have_their_defaults(name: str) -> None:
    section = targets.load(name).traits.section
    base = read_text(EXAMPLE_BASE)[0]
    assert base is not None
    # The whole language: its schema would differ if the model of a part had been built before.
    spec = declared.language().model_validate({**base.data, "targets": {section: {}}})
    chosen = getattr(spec.targets, section.replace("-", "_"))
    plan = planned("{}", name)
    options = {**dataclasses.asdict(plan.options), "overlay": plan.overlay}
    # Lists of a section are tuples in a plan.
    assert json.loads(json.dumps(options)) == chosen.model_dump()


def test_options_are_those_of_the_plans_target() -> None:
    plan = planned("{}", PCS)
    assert plan.options_as(pcs.Options).size == "auto"
    with pytest.raises(
        TypeError, match=r"a plan for pcs has no Options of clustergen\.targets\.eks"
    ):
        plan.options_as(eks.Options)


def test_invalid_entries_are_not_planned() -> None:
    """With an unknown type, further findings would be guesses."""
    checked = check_fragment("node_groups: [{name: h200, instance_type: p5.1xlarge, efa: true}]")
    assert checked.plans == {}
    assert [finding.code for finding in checked.findings] == ["CAP001"]


def test_no_login_nodes_without_login() -> None:
    assert Fragments("parallelcluster").plan("login: {count: 0}").login is None

"""Document rules: templates of every type with EFA satisfy them, and any JSON is accepted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from clustergen import targets
from tests.support.checking import broken, check_fragment
from tests.targets.test_specs import SEVERAL_CARDS, group
from tests.validators.cloudformation import check as template_violations
from tests.validators.eks import eks_violations
from tests.validators.seeding import changed

EKS = "eks"


def template(fragment: str) -> dict[str, Any]:
    """The template of a spec, as it is written."""
    plan = check_fragment(fragment, EKS).plans[EKS]
    read: dict[str, Any] = json.loads(json.dumps(targets.load(EKS).document(plan)))
    return read


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layout", ["efa", "efa-only"])
def test_the_launch_template_of_every_type_with_several_cards(layout: str) -> None:
    groups = ", ".join(group(n, name, layout) for n, name in enumerate(SEVERAL_CARDS))
    document = template(f"node_groups: [{groups}]")
    made = [r for r in document["Resources"].values() if r["Type"] == "AWS::EKS::Nodegroup"]
    assert len(made) == len(SEVERAL_CARDS) + 2  # with h200 of the example, and the system nodes
    assert [finding.message for finding in broken(EKS, document)] == []
    assert eks_violations(document) == []
    assert template_violations(document) == []


ALL_SORTS = """\
monitoring: {metrics: managed-prometheus}
kubernetes: {admins: ['arn:aws:iam::111122223333:role/a']}
node_groups:
  - {name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
  - {name: spot, instance_types: [m7i.4xlarge, m6i.4xlarge], count: 2, capacity: spot}
"""
JUNK: list[Any] = [None, 7, "junk", [], {}, [None], {"Ref": 1}, {"Fn::GetAtt": []}]
DEEP = 6


def _paths(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if path:
        yield path
    if len(path) < DEEP:
        items: Iterable[tuple[str, Any]] = node.items() if isinstance(node, dict) else ()
        if isinstance(node, list):
            items = [(str(index), inner) for index, inner in enumerate(node[:2])]
        for key, inner in items:
            if "." not in key:
                yield from _paths(inner, (*path, key))


def test_a_part_of_a_gpu_needs_the_image_with_its_driver() -> None:
    document = template("node_groups: [{name: h200, instance_type: g6f.xlarge, count: 1}]")
    assert list(broken(EKS, document)) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(3))
def test_any_json_is_accepted(part: int) -> None:
    """The schema reports wrong types; document rules only must not fail on them."""
    document = template(ALL_SORTS)
    tried = [*enumerate(_paths(document))][part::3]
    for number, path in tried:
        broken(EKS, changed(document, ".".join(path), JUNK[number % len(JUNK)]))
    assert len(tried) > 100

"""Network interfaces of a node: every EFA type, every form, against EC2's facts of its cards."""

from collections.abc import Sequence
from typing import Any

import pytest

from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType
from clustergen.plan import nics
from clustergen.plan.model import Interface
from tests.validators.instance_types import all_types
from tests.validators.network_interfaces import interface_violations

EFA_TYPES = [type for type in catalog.every() if type.efa]
SEVERAL_CARDS = [type for type in catalog.every() if len(type.cards) > 1]
FORMS: list[tuple[nics.Layout, int]] = [("efa", 1), ("efa", 0), ("efa-only", 1), ("efa-only", 0)]

# Its sixteen EFA cards are eight pairs, each on one link: every form takes the card of a pair that
# has the whole of it.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html (2026-08)
FEWER_EFA = {("p6e-gb200.36xlarge", layout): 8 for layout in ("efa", "efa-only")}


def _type(name: str) -> InstanceType:
    type = catalog.find(name)
    assert type is not None
    return type


def _slots(interfaces: Sequence[Interface]) -> list[tuple[int, int, str]]:
    return [(i.card, i.device, i.type) for i in interfaces]


def _as_requested(interfaces: Sequence[Interface]) -> list[dict[str, Any]]:
    """As a launch template says it, for the validator."""
    return [
        {"NetworkCardIndex": c, "DeviceIndex": d, "InterfaceType": t, "Groups": ["sg-0a1b2c3d"]}
        for c, d, t in _slots(interfaces)
    ]


def test_the_catalog_has_efa_types() -> None:
    assert len(EFA_TYPES) > 300


@pytest.mark.sampled(4)
@pytest.mark.parametrize("type", EFA_TYPES, ids=lambda type: type.name)
def test_every_efa_type_in_every_form(type: InstanceType) -> None:
    for layout, device in FORMS:
        interfaces = nics.with_efa(type, layout, device)
        assert interface_violations(_as_requested(interfaces), all_types()[type.name]) == []
        assert (interfaces[0].card, interfaces[0].device) == (0, 0)
        efa = [i for i in interfaces if i.type != "interface"]
        assert len(efa) == FEWER_EFA.get((type.name, layout), type.max_efa)
        if layout == "efa-only":
            assert sum(i.has_ip for i in interfaces) == 1


@pytest.mark.parametrize("every_card", [False, True])
@pytest.mark.parametrize("type", SEVERAL_CARDS, ids=lambda type: type.name)
def test_without_efa(type: InstanceType, every_card: bool) -> None:
    interfaces = nics.plain(type, every_card=every_card)
    assert interface_violations(_as_requested(interfaces), all_types()[type.name]) == []
    takers = [card for card in type.cards if "interface" in card.interface_types]
    assert len(interfaces) == (len(takers) if every_card else 1)
    assert {i.type for i in interfaces} == {"interface"}


def test_a_node_with_one_card_has_one_plain_interface() -> None:
    type = _type("m7i.4xlarge")
    assert _slots(nics.plain(type, every_card=True)) == [(0, 0, "interface")]


def cards(first: int, last: int, device: int, kind: str) -> list[tuple[int, int, str]]:
    return [(card, device, kind) for card in range(first, last + 1)]


PLAIN, BESIDE = (0, 0, "interface"), (0, 1, "efa-only")

NAMED: list[tuple[str, nics.Layout, int, list[tuple[int, int, str]]]] = [
    ("p5.48xlarge", "efa", 1, [(0, 0, "efa"), *cards(1, 31, 1, "efa")]),
    ("p5.48xlarge", "efa-only", 1, [PLAIN, BESIDE, *cards(1, 31, 1, "efa-only")]),
    ("p5.48xlarge", "efa-only", 0, [PLAIN, BESIDE, *cards(1, 31, 0, "efa-only")]),
    ("p5en.48xlarge", "efa", 1, [(0, 0, "efa"), *cards(1, 15, 1, "efa")]),
    ("p5en.48xlarge", "efa-only", 0, [PLAIN, BESIDE, *cards(1, 15, 0, "efa-only")]),
    ("p6-b200.48xlarge", "efa", 1, [(0, 0, "efa"), *cards(1, 7, 1, "efa")]),
    ("p6-b200.48xlarge", "efa-only", 0, [PLAIN, BESIDE, *cards(1, 7, 0, "efa-only")]),
    # Card 0 is not in the fabric; the others begin at device 0.
    ("p6-b300.48xlarge", "efa", 1, [PLAIN, *cards(1, 16, 0, "efa")]),
    ("p6-b300.48xlarge", "efa-only", 0, [PLAIN, *cards(1, 16, 0, "efa-only")]),
    # One interface a card: none fits beside the primary.
    ("hpc6id.32xlarge", "efa", 1, [(0, 0, "efa"), (1, 0, "efa")]),
    ("hpc6id.32xlarge", "efa-only", 1, [(0, 0, "efa"), (1, 0, "efa-only")]),
    # Two cards, but one EFA interface in all.
    ("i7ie.48xlarge", "efa", 1, [(0, 0, "efa")]),
    ("i7ie.48xlarge", "efa-only", 0, [PLAIN, BESIDE]),
    ("i8ge.48xlarge", "efa", 1, [(0, 0, "efa")]),
    ("i8ge.48xlarge", "efa-only", 0, [PLAIN, BESIDE]),
    # Odd cards take efa-only alone.
    ("p6e-gb200.36xlarge", "efa", 1, [PLAIN, *((card, 0, "efa-only") for card in range(1, 17, 2))]),
    (
        "p6e-gb200.36xlarge",
        "efa-only",
        1,
        [PLAIN, *((card, 0, "efa-only") for card in range(1, 17, 2))],
    ),
    ("trn1.32xlarge", "efa", 1, [(0, 0, "efa"), *cards(1, 7, 1, "efa")]),
    ("trn2.48xlarge", "efa-only", 0, [PLAIN, BESIDE, *cards(1, 15, 0, "efa-only")]),
    ("g6e.48xlarge", "efa", 1, [(0, 0, "efa"), *cards(1, 3, 1, "efa")]),
    ("g6e.8xlarge", "efa", 1, [(0, 0, "efa")]),
    ("g6e.8xlarge", "efa-only", 0, [PLAIN, BESIDE]),
    ("hpc8a.96xlarge", "efa", 1, [(0, 0, "efa"), (1, 1, "efa")]),
]


@pytest.mark.parametrize(("name", "layout", "device", "expected"), NAMED)
def test_named_types(
    name: str, layout: nics.Layout, device: int, expected: list[tuple[int, int, str]]
) -> None:
    assert _slots(nics.with_efa(_type(name), layout, device)) == expected


COUNTS = [
    ("p5.48xlarge", 32, 33),
    ("p5en.48xlarge", 16, 17),
    ("p6-b200.48xlarge", 8, 9),
    ("p6-b300.48xlarge", 17, 17),
    ("p6e-gb200.36xlarge", 9, 9),
    ("trn1.32xlarge", 8, 9),
]


@pytest.mark.parametrize(("name", "with_addresses", "one_address"), COUNTS)
def test_number_of_interfaces(name: str, with_addresses: int, one_address: int) -> None:
    type = _type(name)
    assert len(nics.with_efa(type, "efa", 1)) == with_addresses
    assert len(nics.with_efa(type, "efa-only", 1)) == one_address

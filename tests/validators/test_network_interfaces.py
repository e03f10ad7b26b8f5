"""EC2's interface rules over the facts of the types that generic lists go wrong on."""

from typing import Any

import pytest

from tests.plan.test_nics import cards
from tests.validators.instance_types import all_types
from tests.validators.network_interfaces import interface_violations


def _nics(*slots: tuple[int, int, str]) -> list[dict[str, Any]]:
    return [
        {"NetworkCardIndex": c, "DeviceIndex": d, "InterfaceType": t, "Groups": ["sg-0a1b2c3d"]}
        for c, d, t in slots
    ]


PRIMARY = (0, 0, "interface")

LISTS: list[tuple[str, list[tuple[int, int, str]], list[str]]] = [
    ("p5.48xlarge", [(0, 0, "efa"), *cards(1, 31, 1, "efa")], []),
    ("p5.48xlarge", [PRIMARY, (0, 1, "efa-only"), *cards(1, 31, 0, "efa-only")], []),
    ("p6-b300.48xlarge", [PRIMARY, *cards(1, 16, 0, "efa")], []),
    ("hpc6id.32xlarge", [(0, 0, "efa"), (1, 0, "efa")], []),
    ("i7ie.48xlarge", [(0, 0, "efa")], []),
    ("m7i.8xlarge", [PRIMARY], []),
    ("p6-b300.48xlarge", [(0, 0, "efa"), *cards(1, 15, 1, "efa")], ["network card 0 cannot hold"]),
    ("hpc6id.32xlarge", [(0, 0, "efa"), (1, 1, "efa")], ["device 1 on network card 1"]),
    ("i7ie.48xlarge", [(0, 0, "efa"), (1, 1, "efa")], ["2 EFA interfaces"]),
    ("m7i.8xlarge", [(0, 0, "efa")], ["network card 0 cannot", "1 EFA interfaces"]),
    ("p5en.48xlarge", [(0, 0, "efa"), (0, 1, "efa-only")], ["2 EFA interfaces on network card 0"]),
    ("p5en.48xlarge", [(0, 1, "efa")], ["no primary"]),
]  # fmt: skip


@pytest.mark.parametrize(("instance_type", "slots", "expected"), LISTS)
def test_lists(instance_type: str, slots: list[tuple[int, int, str]], expected: list[str]) -> None:
    violations = interface_violations(_nics(*slots), all_types()[instance_type])
    assert len(violations) == len(expected), violations
    for violation, words in zip(violations, expected, strict=True):
        assert violation.startswith(words)

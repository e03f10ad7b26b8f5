"""The network cards of the instance types of a plan, and which interfaces nodes have on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import Interface, NodeGroup, Plan

_KINDS = {"interface": "ENA", "efa": "ENA and EFA", "efa-only": "EFA only"}
"""Kinds of interfaces in the words of EC2's guides."""


class Run(NamedTuple):
    """Network cards beside each other that are alike."""

    first: int
    last: int
    takes: str
    """What the card supports."""
    has: tuple[str, ...]
    """The interfaces of a node on each of them."""

    @property
    def title(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"


class Cards(NamedTuple):
    """The network cards of one instance type, as node groups use them."""

    title: str
    node_groups: tuple[str, ...]
    bandwidth: str
    runs: tuple[Run, ...]


def maps(plan: Plan) -> Iterator[Cards]:
    """One map for each instance type; several where node groups use its cards differently."""
    alike: dict[tuple[str, tuple[Interface, ...]], list[NodeGroup]] = {}
    types: dict[str, InstanceType] = {}
    for group in plan.node_groups:
        for type in group.types:
            types[type.name] = type
            alike.setdefault((type.name, group.interfaces), []).append(group)
    for (name, interfaces), groups in alike.items():
        found = tuple(_runs(types[name], interfaces))
        names = tuple(group.name for group in groups)
        yield Cards(name, names, _bandwidth(types[name]), found)


def _bandwidth(type: InstanceType) -> str:
    return f"{'up to ' if type.network_burst else ''}{type.network_gbps:g} Gbit/s"


def _runs(type: InstanceType, interfaces: Sequence[Interface]) -> Iterator[Run]:
    rows = [
        (
            f"{card.max_interfaces} of {', '.join(_KINDS[kind] for kind in card.interface_types)}",
            tuple(_attached(each) for each in interfaces if each.card == card.index),
        )
        for card in type.cards
    ]
    numbered = zip((card.index for card in type.cards), rows, strict=True)
    for (takes, has), group in groupby(numbered, key=lambda pair: pair[1]):
        indices = [index for index, _ in group]
        yield Run(indices[0], indices[-1], takes, has)


def _attached(interface: Interface) -> str:
    return f"{_KINDS[interface.type]}, device {interface.device}"

"""The network cards of the instance types of a plan, and which interfaces nodes have on them."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from clustergen.facts.catalog import InstanceType, NetworkCard
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
        burst = "up to " if types[name].network_burst else ""
        yield Cards(name, names, f"{burst}{types[name].network_gbps:g} Gbit/s", found)


def _runs(type: InstanceType, interfaces: Sequence[Interface]) -> Iterator[Run]:
    def alike(card: NetworkCard) -> tuple[str, tuple[str, ...]]:
        kinds = ", ".join(_KINDS[kind] for kind in card.interface_types)
        has = (each for each in interfaces if each.card == card.index)
        attached = (f"{_KINDS[each.type]}, device {each.device}" for each in has)
        return f"{card.max_interfaces} of {kinds}", tuple(attached)

    for (takes, has), group in groupby(type.cards, key=alike):
        cards = list(group)
        yield Run(cards[0].index, cards[-1].index, takes, has)

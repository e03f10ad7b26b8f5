"""Network interfaces of a node, and the cards that hold them.

The form follows the EC2 User Guide: the primary interface (card 0, device 0) has the address; EFA
interfaces follow, at most one per card. Tests check every EFA type.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html (2026-08)
"""

from collections.abc import Iterator
from typing import Literal

from clustergen.facts.catalog import InstanceType, NetworkCard
from clustergen.plan.model import Interface

Layout = Literal["efa", "efa-only"]


def plain(type: InstanceType, *, every_card: bool = False) -> tuple[Interface, ...]:
    """Interfaces without EFA: one, or one on every card that supports it."""
    cards = type.cards if every_card else type.cards[:1]
    return tuple(
        Interface(card.index, _second(card, 1), "interface")
        for card in cards
        if "interface" in card.interface_types
    )


def with_efa(
    type: InstanceType, layout: Layout, device_index: int, combined_device_index: int = 1
) -> tuple[Interface, ...]:
    """Interfaces with the full EFA bandwidth of the type.

    With ``efa``, every EFA card has an address (EFA and ENA in one interface); with ``efa-only``, a
    node has one address. ``device_index`` is for ``efa-only`` interfaces on cards beyond the first,
    ``combined_device_index`` for ``efa`` ones if the first card has EFA.
    """
    if layout == "efa":
        return tuple(_combined(type, combined_device_index))
    return tuple(_address_saving(type, device_index))


def _combined(type: InstanceType, device_index: int) -> Iterator[Interface]:
    first = type.cards[0]
    # If card 0 has EFA, the others use device 1 if the card holds a second interface; if not
    # (p6-b300, p6e-gb200), the EC2 guide puts them at device 0.
    device_index = device_index if first.efa else 0
    if not first.efa:
        yield Interface(0, 0, "interface")
    for card in _dedicated(type) or [card for card in type.cards if card.efa][: type.max_efa]:
        kind: Layout = "efa" if "efa" in card.interface_types else "efa-only"
        yield Interface(card.index, _second(card, device_index), kind)


def _address_saving(type: InstanceType, device_index: int) -> Iterator[Interface]:
    left = type.max_efa
    first = type.cards[0]
    if first.efa and first.max_interfaces < 2:
        yield Interface(0, 0, "efa")  # hpc6id: no room for a plain interface beside it
        left -= 1
    else:
        yield Interface(0, 0, "interface")
        if first.efa:
            yield Interface(0, 1, "efa-only")
            left -= 1
    for card in _fabric_cards(type)[:left]:
        yield Interface(card.index, _second(card, device_index), "efa-only")


def _fabric_cards(type: InstanceType) -> list[NetworkCard]:
    """Cards beyond the first that get an ``efa-only`` interface."""
    cards = [card for card in type.cards[1:] if "efa-only" in card.interface_types]
    return _dedicated(type) or cards


def _dedicated(type: InstanceType) -> list[NetworkCard]:
    """Cards that support only ``efa-only``: the odd ones of p6e-gb200.

    They have all of the bandwidth. Each shares a link with an ENA-capable card, which gets no EFA:
    both would compete for the link.
    """
    return [card for card in type.cards if card.interface_types == ("efa-only",)]


def _second(card: NetworkCard, device_index: int) -> int:
    if card.index == 0 or card.interface_types == ("efa-only",):
        return 0
    return device_index if card.max_interfaces > 1 else 0

"""The order of offers.

First what can be had, then what costs less. The best region stands for all regions of a type,
option and kind of service; others are named beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clustergen.analysis.recommend.need import Need
from clustergen.analysis.recommend.offers import Offer


@dataclass(frozen=True, slots=True)
class Ranked:
    """An offer in its best region, and the same offer elsewhere."""

    offer: Offer
    elsewhere: tuple[Offer, ...]


def ranked(need: Need, offers: Sequence[Offer]) -> list[Ranked]:
    """The offers, the best first; those over the budget last."""
    groups: dict[tuple[str, str, str], list[Offer]] = {}
    for offer in offers:
        hyperpod = offer.services[0].startswith("hyperpod")
        groups.setdefault((offer.type.name, offer.kind, str(hyperpod)), []).append(offer)
    best = []
    for group in groups.values():
        first, *others = sorted(group, key=_by_region)
        best.append(Ranked(first, tuple(others)))
    return sorted(best, key=lambda each: _key(need, each.offer))


def _by_region(offer: Offer) -> tuple[bool, float, int, int]:
    """Cheap, with many services and zones."""
    return offer.usd is None, offer.usd or 0, -len(offer.services), -len(offer.zones)


def _key(need: Need, offer: Offer) -> tuple[bool, bool, int, float, int, bool]:
    over = need.budget is not None and (offer.usd or 0) > need.budget
    # Equal otherwise: few large nodes, and for a time that is not known to be used in full,
    # instances that are paid for only while they run.
    held = offer.kind == "reservation" and not offer.type.capacity_block
    return over, offer.usd is None, offer.certainty, offer.usd or 0, offer.nodes, held

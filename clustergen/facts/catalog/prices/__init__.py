"""Prices of AWS, each with its region, source and date. USD without tax and private discounts.

``data/prices.jsonl`` has one price in each line, by place: a region's zone prefix (``use1``), a
city with Local Zones (``use1-dfw``), or a zone id for Spot. Its sources are in
``data/price_sources.json``. A missing price is unknown, which does not mean that the service is
free or absent there. ``python -m tools.catalog.prices`` asks the Price List for new
prices.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from clustergen.facts.catalog import regions

DATA: Final = Path(__file__).parents[1] / "data"
MONTH_HOURS: Final = 730
"""Hours of a month, as on AWS's pricing pages. Bills use the hours of the real month."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a price is from; ``confidence`` is high, medium or low."""

    source: str
    date: str
    confidence: str = "high"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """USD for one ``unit``: ``instance-hour``, ``GB-month``, ``sample``."""

    name: str
    usd: float
    unit: str
    place: str
    """The region, the city of a Local Zone (``us-east-1-dfw``), or a zone id."""
    source: Source

    @property
    def monthly(self) -> bool:
        """Whether the price is for a month, and billed in proportion."""
        return self.unit.endswith("-month")


class Book(Protocol):
    """A place to look up prices."""

    def find(self, name: str, place: str) -> Price | None:
        """The price called ``name`` in ``place``; None if it is unknown."""


class Recorded:
    def find(self, name: str, place: str) -> Price | None:
        return _find(name, place)


RECORDED: Final[Book] = Recorded()


def place_of(region: str, zone: str | None = None) -> str:
    """Where prices of a cluster apply: its region, or the city of its Local Zone.

    ``us-east-1-dfw`` for zone ``use1-dfw2-az1``.
    """
    group = regions.local_zone_group(zone) if zone else None
    return group.rpartition("-")[0] if group else region


def is_known(name: str) -> bool:
    """Whether a price of this name is known anywhere."""
    return bool(_row(name))


@functools.cache
def sources() -> Mapping[str, Source]:
    """The sources by the keys that rows use."""
    text = (DATA / "price_sources.json").read_text(encoding="ascii")
    return {key: Source(**fields) for key, fields in json.loads(text).items()}


def rows() -> Iterator[dict[str, Any]]:
    return map(json.loads, _text().splitlines())


@functools.cache
def _find(name: str, place: str) -> Price | None:
    row = _row(name)
    key = key_of(place)
    for source, by_place in row.get("usd", {}).items():
        if key in by_place:
            return Price(name, by_place[key], row["unit"], place, sources()[source])
    return None


def key_of(place: str) -> str:
    """The key in rows: ``use1`` for us-east-1, ``use1-dfw`` for us-east-1-dfw."""
    if place in regions.ZONE_PREFIXES or regions.is_zone_id(place):
        return regions.ZONE_PREFIXES.get(place, place)
    region, _, city = place.rpartition("-")
    return f"{regions.ZONE_PREFIXES[region]}-{city}" if region in regions.ZONE_PREFIXES else place


@functools.cache
def _row(name: str) -> dict[str, Any]:
    text = _text()
    start = text.find(f'{{"price":{json.dumps(name)},') if name.isprintable() else -1
    found: dict[str, Any] = json.loads(text[start : text.index("\n", start)]) if start >= 0 else {}
    return found


@functools.cache
def _text() -> str:
    return (DATA / "prices.jsonl").read_text(encoding="ascii")

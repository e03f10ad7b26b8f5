"""Lines from the names of prices, whether those are known or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clustergen.facts.catalog.prices import Book, Price, place_of
from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line, Part, Units

Quantities = Mapping[str, float]
"""Name of a price -> units of it."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices that apply to a cluster: those of its region, or of its Local Zone."""

    book: Book
    region: str
    place: str

    @classmethod
    def of(cls, plan: Plan, book: Book) -> Prices:
        return cls(book, plan.region, place_of(plan.region, plan.network.private[0].zone))

    @property
    def regional(self) -> Prices:
        """Those of the region, for services that Local Zones lack."""
        return Prices(self.book, self.region, self.region)

    def find(self, name: str) -> Price | None:
        return self.book.find(name, self.place)

    def line(
        self, part: Part, name: str, what: str, low: Quantities, high: Quantities | None = None
    ) -> Line:
        """A line of these quantities at the minimum and the maximum; unknown if a price is."""
        high = low if high is None else high
        found = {price: self.find(price) for price in (*low, *high)}
        if missing := [price for price, known in found.items() if known is None]:
            return self.unknown(part, name, what, *missing)
        priced = {price: known for price, known in found.items() if known}
        least = tuple(Units(units, priced[price]) for price, units in low.items())
        most = tuple(Units(units, priced[price]) for price, units in high.items())
        return Line(part=part, name=name, what=what, low=least, high=most)

    def by_use(self, part: Part, name: str, what: str, *prices: str) -> Line:
        """A line whose quantity only use shows."""
        found = tuple(known for price in prices if (known := self.find(price)) is not None)
        if not found:
            return self.unknown(part, name, what, *prices)
        return Line(part=part, name=name, what=what, by_use=found)

    def unknown(self, part: Part, name: str, what: str, *prices: str) -> Line:
        """A line for which a price is missing."""
        reason = f"no price of {' and '.join(prices)} is known in {self.place}"
        return Line(part=part, name=name, what=what, unknown=reason)


def span(least: float, most: float) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"

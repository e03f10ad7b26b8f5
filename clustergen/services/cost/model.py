"""A bill: its lines, their amounts, and totals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, Protocol, get_args

from clustergen.facts.catalog import blocks
from clustergen.facts.catalog.prices import MONTH_HOURS, Price

Part = Literal["nodes", "service", "storage", "network", "monitoring"]
PARTS: Final[Sequence[Part]] = get_args(Part)


class Amount(Protocol):
    """A billed quantity."""

    @property
    def prices(self) -> tuple[Price, ...]:
        """The prices it is made of."""

    def usd(self, hours: float) -> float:
        """What it costs in this time."""


@dataclass(frozen=True, slots=True)
class Units:
    """A number of units, such as instances or GB, that are billed all the time."""

    units: float
    price: Price

    @property
    def prices(self) -> tuple[Price, ...]:
        return (self.price,)

    def usd(self, hours: float) -> float:
        time = hours / MONTH_HOURS if self.price.monthly else hours
        return self.units * self.price.usd * time


@dataclass(frozen=True, slots=True)
class Tiers:
    """Units of a month at prices that fall as they grow: ``(units up to, price)``.

    The last tier has no end.
    """

    units_per_hour: float
    free: float
    """Units of a month that cost nothing."""
    tiers: tuple[tuple[float, Price], ...]

    @property
    def prices(self) -> tuple[Price, ...]:
        return tuple(price for _, price in self.tiers)

    def usd(self, hours: float) -> float:
        months, rest = divmod(hours, MONTH_HOURS)
        if not months and hours < 1.5:  # the rate of an hour is that of a whole month
            return self._month(MONTH_HOURS) / MONTH_HOURS * hours
        return months * self._month(MONTH_HOURS) + self._month(rest)

    def _month(self, hours: float) -> float:
        units = self.units_per_hour * hours
        ends = [self.free, *(end for end, _ in self.tiers)]
        return sum(
            max(min(units, end) - start, 0) * price.usd
            for (start, end), (_, price) in zip(pairwise(ends), self.tiers, strict=True)
        )


Amounts = tuple[Amount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a bill: its amounts, or why it has none."""

    part: Part
    name: str
    """Unique within the part: a node group, a mount."""
    what: str
    low: Amounts = ()
    """At the minimum of the node groups."""
    high: Amounts = ()
    """At their maximum."""
    unknown: str = ""
    """Why it has no amount: no price is known. Totals lack it."""
    by_use: tuple[Price, ...] = ()
    """Prices of a quantity that only use shows. Totals lack it."""
    outside: str = ""
    """Why it is not on this bill: it exists already."""
    note: str = ""
    upfront: bool = False
    """Paid as a whole before it begins, for a time that AWS sells."""
    estimate: bool = False
    """From a rule, because there is no price."""
    length_hours: float | None = None
    """How long it lasts, where the spec says when it starts and ends."""

    @property
    def counted(self) -> bool:
        """Whether totals include it."""
        return bool(self.low or self.high)

    @property
    def prices(self) -> tuple[Price, ...]:
        """All prices it is made of, each once."""
        found = (price for amount in (*self.low, *self.high) for price in amount.prices)
        return tuple(dict.fromkeys((*found, *self.by_use)))

    def usd(self, hours: float) -> tuple[float, float]:
        """The lowest and the highest cost in this time, at the rate of an hour."""
        hours = min(hours, self.length_hours or hours)
        low = sum(amount.usd(hours) for amount in self.low)
        return low, sum(amount.usd(hours) for amount in self.high)

    def usd_of_use(self, hours: float) -> tuple[float, float]:
        """The same for a cluster that is used this long: a block is paid for whole days."""
        if self.upfront and self.length_hours:
            return self.usd(self.length_hours)
        days = blocks.days(hours) if self.upfront else None
        return self.usd(days * blocks.DAY_HOURS if days else hours)


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of a cluster on one target."""

    target: str
    region: str
    lines: tuple[Line, ...]

    def of(self, part: Part) -> Iterator[Line]:
        return (line for line in self.lines if line.part == part)

    def usd(self, hours: float) -> tuple[float, float]:
        """The lowest and the highest total of the lines whose price is known."""
        return _sum([line.usd(hours) for line in self.lines])

    def usd_of_use(self, hours: float) -> tuple[float, float]:
        """The same for a cluster that is used this long."""
        return _sum([line.usd_of_use(hours) for line in self.lines])

    @property
    def unknown(self) -> tuple[Line, ...]:
        """The lines without a known price, which totals lack."""
        return tuple(line for line in self.lines if line.unknown)

    @property
    def by_use(self) -> tuple[Line, ...]:
        """The lines whose quantity only use shows."""
        return tuple(line for line in self.lines if line.by_use)

    @property
    def prices(self) -> tuple[Price, ...]:
        """All prices, each once."""
        return tuple(dict.fromkeys(price for line in self.lines for price in line.prices))


def _sum(amounts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(low for low, _ in amounts), sum(high for _, high in amounts)


@dataclass(frozen=True, slots=True)
class Change:
    """A line that differs between two bills; ``old`` or ``new`` is None where it is absent."""

    old: Line | None
    new: Line | None

    @property
    def line(self) -> Line:
        """The new line, or the old one where it is gone."""
        return self.new or self.old or _NOTHING

    @property
    def comparable(self) -> bool:
        """Whether both amounts are known; a line that is absent costs nothing."""
        return not any(line and line.unknown for line in (self.old, self.new))

    def usd(self, hours: float) -> tuple[float, float]:
        """New less old in this time, at the minimum and the maximum of the node groups."""
        old = self.old.usd(hours) if self.old else (0.0, 0.0)
        new = self.new.usd(hours) if self.new else (0.0, 0.0)
        return new[0] - old[0], new[1] - old[1]


_NOTHING = Line(part="nodes", name="", what="")


def compare(old: Bill, new: Bill) -> Iterator[Change]:
    """The lines that differ between the bills of two specs for the same target.

    Lines are matched by part and name: a node group that is renamed is one line less and one more.
    """
    before = {(line.part, line.name): line for line in old.lines}
    after = {(line.part, line.name): line for line in new.lines}
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            yield Change(before.get(key), after.get(key))

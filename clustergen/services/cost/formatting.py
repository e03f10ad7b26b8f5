"""Words and numbers about bills."""

from collections.abc import Iterator, Sequence

from clustergen.facts.catalog import blocks
from clustergen.facts.catalog.prices import MONTH_HOURS, Price
from clustergen.services.cost.model import PARTS, Bill, Line

CONVENTION = (
    "USD for Linux, without tax, discounts and Savings Plans; a month is 730 hours. A range is "
    "from the minimum of all node groups to their maximum."
)


def periods(hours: int | None = None) -> dict[str, int]:
    """The columns of a table: title and hours."""
    own = {duration(hours): hours} if hours else {}
    return {"hour": 1, "month": MONTH_HOURS, **own}


def duration(hours: int) -> str:
    """``14 d``, ``36 h``."""
    days, rest = divmod(hours, blocks.DAY_HOURS)
    return f"{hours} h" if rest else f"{days} d"


def usd(amounts: tuple[float, float]) -> str:
    """``4,042.11``, or ``0 to 24.03``: the larger, the fewer digits."""
    low, high = amounts
    if not high:
        return "0"
    digits = 3 if high < 1 else 2 if high < 10_000 else 0
    least, most = f"{low:,.{digits}f}" if low else "0", f"{high:,.{digits}f}" if high else "0"
    return most if least == most else f"{least} to {most}"


def amounts(item: Line | Bill, hours: int | None = None) -> list[str]:
    """One cell for each period."""
    return [
        usd(item.usd(length) if title in ("hour", "month") else item.usd_of_use(length))
        for title, length in periods(hours).items()
    ]


def details(line: Line, hours: int | None = None) -> str:
    """What a line is for, and its note."""
    return "; ".join(filter(None, (line.what, line.note, longer(line, hours))))


def longer(line: Line, hours: int | None = None) -> str:
    """How long a block is that is bought for ``hours``, where it is longer."""
    if not (hours and line.upfront) or line.length_hours:
        return ""
    days = blocks.days(hours)
    if days is None:
        return f"none lasts longer than {blocks.LONGEST_DAYS} days"
    sold = days * blocks.DAY_HOURS
    return f"sold for {days} d" if sold != hours else ""


def rows(bill: Bill, hours: int | None = None) -> Iterator[list[str]]:
    """A row for each line that totals include: part, name, details and amounts."""
    for part in PARTS:
        for line in bill.of(part):
            if line.counted:
                yield [part.capitalize(), line.name, details(line, hours), *amounts(line, hours)]


def total(bill: Bill, hours: int | None = None) -> list[list[str]]:
    """The row of the total; none if nodes lack a price, without which a sum misleads."""
    if any(line.part == "nodes" for line in bill.unknown):
        return []
    return [["Total of known prices" if bill.unknown else "Total", *amounts(bill, hours)]]


def not_in_total(bill: Bill) -> Iterator[tuple[str, Iterator[str]]]:
    """What the total lacks, and why: a heading, and a line for each part; lists may be empty."""
    without = "(not in the total)" if total(bill) else "(so there is no total)"
    yield f"Not priced {without}:", missing(bill)
    yield "Usage-based (not in the total):", by_use(bill)
    yield "Not on this bill:", outside(bill)


def missing(bill: Bill) -> Iterator[str]:
    """What totals lack because no price is known."""
    return (f"{line.name}: {line.what}: {line.unknown}" for line in bill.unknown)


def by_use(bill: Bill) -> Iterator[str]:
    """What totals lack because it depends on use, with its prices."""
    for line in bill.by_use:
        prices = ", ".join(rate(price, line.by_use) for price in line.by_use)
        yield f"{line.name}: {line.what}: {prices}"


def rate(price: Price, among: Sequence[Price]) -> str:
    """``0.3 USD per GB-month``, and of what if there are several."""
    text = f"{price.usd:g} USD per {price.unit}"
    return text if len(among) == 1 else f"{text} ({price.name})"


def outside(bill: Bill) -> Iterator[str]:
    return (f"{line.name}: {line.what}: {line.outside}" for line in bill.lines if line.outside)


def sources(prices: Sequence[Price]) -> Iterator[str]:
    """Where prices are from, with region and date: one line for each source and region."""
    found: dict[tuple[str, str], list[Price]] = {}
    for price in prices:
        found.setdefault((price.place, _of(price)), []).append(price)
    for (place, _), group in found.items():
        origin = group[0].source
        names = ", ".join(dict.fromkeys(price.name for price in group))
        doubt = "" if origin.confidence == "high" else f", {origin.confidence} confidence"
        note = f"; {origin.note}" if origin.note else ""
        yield f"{place}, {origin.date}{doubt}: {names}: {origin.source}{note}"


def _of(price: Price) -> str:
    return f"{price.source.date} {price.source.source} {price.source.confidence}"

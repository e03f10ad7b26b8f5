"""Quotations as Markdown, for pull requests, wikis and budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.cost import words
from clustergen.cost.model import PARTS
from clustergen.quotation.model import Quotation
from clustergen.readme.markdown import escape, table


def render(quotations: Sequence[Quotation], hours: int | None) -> str:
    """A section for each spec and target."""
    return "\n".join("\n\n".join(_section(quotation, hours)) + "\n" for quotation in quotations)


def _section(quotation: Quotation, hours: int | None) -> Iterator[str]:
    bill = quotation.bill
    yield f"# {escape(quotation.name)} on {quotation.target.title}"
    yield f"{escape(quotation.source)}, {bill.region}. {words.CONVENTION}"
    header = ("Part", "What", "For", *(f"USD per {title}" for title in words.periods(hours)))
    yield table(header, _rows(quotation, hours), right=range(3, len(header)))
    yield from _list("No price is known of these; the total lacks them:", words.missing(bill))
    yield from _list("Not in the total, because use decides:", words.by_use(bill))
    yield from _list("Not on this bill:", words.outside(bill))
    yield from _options(quotation, hours)
    yield from _list("Prices:", words.sources(quotation.prices))


def _rows(quotation: Quotation, hours: int | None) -> Iterator[list[str]]:
    for part in PARTS:
        for line in quotation.bill.of(part):
            if line.counted:
                detail = words.details(line, hours)
                yield [words.TITLES[part], line.name, detail, *words.amounts(line, hours)]
    total = "Total of known prices" if quotation.bill.unknown else "Total"
    yield [total, "", "", *words.amounts(quotation.bill, hours)]


def _options(quotation: Quotation, hours: int | None) -> Iterator[str]:
    if quotation.purchases:
        header = ("Node group", "Option", *(f"USD per {title}" for title in words.periods(hours)))
        rows = ([option.group, *option.row(hours)] for option in quotation.purchases)
        yield table(header, rows, right=range(2, len(header)))


def _list(head: str, items: Iterator[str]) -> Iterator[str]:
    found = [f"- {escape(item)}" for item in items]
    if found:
        yield head
        yield "\n".join(found)

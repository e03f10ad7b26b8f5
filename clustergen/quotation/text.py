"""Quotations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.comparison.columns import columns
from clustergen.cost import words
from clustergen.cost.model import PARTS
from clustergen.quotation.model import Quotation
from clustergen.source.characters import visible
from clustergen.terminal import wrapped


def render(quotations: Sequence[Quotation], hours: int | None) -> str:
    """One block for each spec and target."""
    blocks = ["\n".join(_block(quotation, hours)) for quotation in quotations]
    return "\n\n\n".join(blocks) + "\n" if blocks else ""


def _block(quotation: Quotation, hours: int | None) -> Iterator[str]:
    bill = quotation.bill
    head = f"{quotation.name} ({quotation.source}) on {quotation.target.title}, {bill.region}"
    yield from wrapped(visible(head), "", "  ")
    yield ""
    yield from columns(list(_rows(quotation, hours)))
    yield ""
    for line in bill.lines:
        if line.counted:
            yield from _item(f"{line.name}: {words.details(line, hours)}")
    yield from _list("No price is known of these; the total lacks them:", words.missing(bill))
    yield from _list("Not in the total, because use decides:", words.by_use(bill))
    yield from _list("Not on this bill:", words.outside(bill))
    yield from _options(quotation, hours)
    yield ""
    yield from wrapped(words.CONVENTION, "", "")
    yield from _list("Prices:", words.sources(quotation.prices))


def _rows(quotation: Quotation, hours: int | None) -> Iterator[list[str]]:
    yield ["USD per", *words.periods(hours)]
    for part in PARTS:
        for line in quotation.bill.of(part):
            if line.counted:
                yield [visible(f"{part}: {line.name}"), *words.amounts(line, hours)]
    yield []
    total = "total of known prices" if quotation.bill.unknown else "total"
    yield [total, *words.amounts(quotation.bill, hours)]


def _options(quotation: Quotation, hours: int | None) -> Iterator[str]:
    groups = dict.fromkeys(option.group for option in quotation.purchases)
    for group in groups:
        options = [option for option in quotation.purchases if option.group == group]
        yield ""
        rows = [option.row(hours) for option in options]
        yield from columns([[visible(f"{group} as"), *words.periods(hours)], *rows])
        for option in options:
            if reason := option.line.unknown or words.longer(option.line, hours):
                yield from _item(f"{option.title}: {reason}")


def _list(head: str, items: Iterator[str]) -> Iterator[str]:
    found = list(items)
    if found:
        yield from ("", head)
    for item in found:
        yield from _item(item)


def _item(text: str) -> list[str]:
    return wrapped(visible(text), "  ", "    ")

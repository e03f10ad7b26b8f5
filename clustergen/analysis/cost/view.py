"""A quotation as tables, with what the total lacks, and where prices are from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clustergen.analysis.cost.model import Quotation
from clustergen.output.blocks import Block, Heading, Paragraph, linked, listed, table
from clustergen.services.cost import words


def blocks(quotation: Quotation, hours: int | None = None) -> Iterator[Block]:
    yield Heading(f"{quotation.name} on {quotation.target.title}")
    yield from bill(quotation, hours)


def bill(quotation: Quotation, hours: int | None = None) -> Iterator[Block]:
    """What stands below the heading."""
    own = quotation.bill
    yield Paragraph(f"{quotation.source}, {own.region}. {words.CONVENTION}")
    header = ("Part", "What", "For", *(f"USD per {title}" for title in words.periods(hours)))
    yield from table(header, _rows(quotation, hours), right=range(3, len(header)))
    for head, lines in words.not_in_total(own):
        yield from listed(head, lines)
    yield from _options(quotation, hours)
    yield from listed("Prices:", map(linked, words.sources(quotation.prices)))


def _rows(quotation: Quotation, hours: int | None) -> Iterator[Sequence[str]]:
    yield from words.rows(quotation.bill, hours)
    for title, *amounts in words.total(quotation.bill, hours):
        yield ()
        yield title, "", "", *amounts


def _options(quotation: Quotation, hours: int | None) -> Iterable[Block]:
    """What each node group costs with other purchase options, and why one has no price."""
    header = ("Node group", "Option", *(f"USD per {title}" for title in words.periods(hours)))
    options = quotation.purchases
    rows = ([option.group, *option.row(hours)] for option in options)
    yield from table(header, rows, right=range(2, len(header)))
    reasons = ((each, each.line.unknown or words.longer(each.line, hours)) for each in options)
    yield from listed("", (f"{each.group}, {each.title}: {why}" for each, why in reasons if why))

"""An estimate as tables, with what the total lacks, and where prices are from."""

from collections.abc import Iterable, Iterator, Sequence

from clustergen.analysis.cost.model import Estimate
from clustergen.output.blocks import Block, Heading, Paragraph, linked, listed, table
from clustergen.services.cost import formatting


def blocks(estimate: Estimate, hours: int | None = None) -> Iterator[Block]:
    yield Heading(f"{estimate.name} on {estimate.target.title}")
    yield from bill(estimate, hours)


def bill(estimate: Estimate, hours: int | None = None) -> Iterator[Block]:
    """What stands below the heading."""
    own = estimate.bill
    yield Paragraph(f"{estimate.source}, {own.region}. {formatting.CONVENTION}")
    header = ("Part", "What", "For", *(f"USD per {title}" for title in formatting.periods(hours)))
    yield from table(header, _rows(estimate, hours), right=range(3, len(header)))
    for head, lines in formatting.not_in_total(own):
        yield from listed(head, lines)
    yield from _options(estimate, hours)
    yield from listed("Prices:", map(linked, formatting.sources(estimate.prices)))


def _rows(estimate: Estimate, hours: int | None) -> Iterator[Sequence[str]]:
    yield from formatting.rows(estimate.bill, hours)
    for title, *amounts in formatting.total(estimate.bill, hours):
        yield ()
        yield title, "", "", *amounts


def _options(estimate: Estimate, hours: int | None) -> Iterable[Block]:
    """What each node group costs with other purchase options, and why one has no price."""
    header = ("Node group", "Option", *(f"USD per {title}" for title in formatting.periods(hours)))
    options = estimate.purchases
    rows = ([option.group, *option.row(hours)] for option in options)
    yield from table(header, rows, right=range(2, len(header)))
    reasons = ((each, each.line.unknown or formatting.longer(each.line, hours)) for each in options)
    yield from listed("", (f"{each.group}, {each.title}: {why}" for each, why in reasons if why))

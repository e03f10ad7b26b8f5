"""A recommendation as a table of all answers, a section for each, and what was dropped."""

from collections.abc import Iterable, Iterator

from clustergen import targets
from clustergen.analysis.recommend.answers import (
    WHY,
    Answer,
    Recommendation,
    Service,
    advice,
    parts,
)
from clustergen.analysis.recommend.offers import Offer
from clustergen.output import blocks as page
from clustergen.services.cost.formatting import duration
from clustergen.services.cost.nodes import OPTIONS

HEADER = ("Answer", "nodes", "bought as", "region", "USD per hour", "USD in all")
CONVENTION = (
    "Ranked by what can be had, then by cost. USD for Linux, without tax and discounts. In all: "
    "nodes, service, storage and network of the spec that --write writes, on the first service "
    "named, for the time that is paid for; `clustergen cost` has its parts and sources. +: without "
    "parts whose price is unknown."
)


def blocks(found: Recommendation) -> Iterator[page.Block]:
    yield page.Heading(parts(found.need, found.answers))
    yield from page.table(HEADER, rows(found), right=(1, 4, 5))
    for number, answer in enumerate(found.answers, 1):
        yield page.Heading(f"{number}. {title(answer.offer)}", 2)
        yield page.Items(tuple(map(page.linked, _items(answer))))
        yield from (page.Paragraph("To verify:"), page.CodeBlock(answer.verify, "sh"))
    yield from _section("What would change the answer", advice(found))
    yield from _section("Not possible", dropped(found))
    if found.answers:
        yield page.Paragraph(page.marked(CONVENTION))


def _items(answer: Answer) -> Iterator[str]:
    yield f"why: {WHY[answer.offer.certainty]}"
    yield f"where: {where(answer)}"
    yield from (f"limit: {limit}" for limit in answer.limits)
    yield from (f"not known offline: {unknown}" for unknown in answer.unknown)
    yield from map(service, answer.services)
    yield f"price: {price(answer.offer)}"


def _section(heading: str, lines: Iterable[str]) -> Iterator[page.Block]:
    if items := tuple(lines):
        yield from (page.Heading(heading, 2), page.Items(items))


def rows(found: Recommendation) -> Iterator[list[str]]:
    for number, answer in enumerate(found.answers, 1):
        offer = answer.offer
        yield [
            f"{number}. {offer.type.name}",
            f"{offer.nodes:,}",
            OPTIONS[offer.kind],
            offer.region,
            usd(offer.usd_hour, limit=offer.kind == "spot"),
            whole(answer.services[0], limit=offer.kind == "spot"),
        ]


def whole(service: Service, *, limit: bool = False) -> str:
    """The cost of a whole cluster, with a + if the price of a part is unknown."""
    text = usd(service.usd, limit=limit)
    return f"{text}+" if service.holes and service.usd is not None else text


def service(of: Service) -> str:
    """The cost of an answer with a service, and what the service loses."""
    lost = "; ".join((*of.warnings, *of.losses)) or "nothing lost"
    holes = f" (not priced: {', '.join(of.holes)})" if of.holes else ""
    return f"{targets.load(of.target).title}, {whole(of)} USD in all{holes}: {lost}"


def usd(amount: float | None, *, limit: bool = False) -> str:
    """``1,234``, with cents where they count; ``< 1,234`` for a limit."""
    if amount is None:
        return "not known"
    text = f"{amount:,.2f}" if amount < 1000 else f"{amount:,.0f}"
    return f"< {text}" if limit else text


def title(offer: Offer) -> str:
    """``16 x p5e.48xlarge, Capacity Block for 14 d``."""
    text = f"{offer.nodes:,} x {offer.type.name}, {OPTIONS[offer.kind]}"
    if not offer.upfront:
        return text
    return f"{text} for {duration(offer.hours)}: {usd(offer.usd)} USD in advance"


def where(answer: Answer) -> str:
    """The region with its zones, and the others with what they cost."""
    offer = answer.offer
    text = f"{offer.region} ({', '.join(offer.zones)})"
    same = [other.region for other in answer.elsewhere if other.usd == offer.usd]
    dearer = [
        f"{other.region} for {usd(other.usd)}"
        for other in answer.elsewhere
        if other.usd != offer.usd and other.usd is not None
    ]
    others = [*same, *dearer][:4]
    return f"{text}; also {', '.join(others)}" if others else text


def price(offer: Offer) -> str:
    """The price of the nodes with region, source and date."""
    found = offer.price
    if found is None:
        return "not known"
    return (
        f"{found.name} {found.usd:g} USD per {found.unit} in {found.place} "
        f"({found.source.date}, {found.source.source})"
    )


def dropped(found: Recommendation) -> list[str]:
    """What is not possible; the same reason in several regions, or for several types, once."""
    by_place: dict[tuple[str, str, str], list[str]] = {}
    for each in found.dropped:
        by_place.setdefault((each.type, each.how, each.why), []).append(each.region)
    by_type: dict[tuple[str, str], list[str]] = {}
    for (type, how, why), places in by_place.items():
        by_type.setdefault((how, f"{_in(places)}: {why}"), []).append(type)
    return [f"{', '.join(dict.fromkeys(types))}{how}{why}" for (how, why), types in by_type.items()]


def _in(places: list[str]) -> str:
    named = [place for place in places if place]
    return f" in {', '.join(named)}" if named else ""

"""What the page of a spec shows, collected from the functions that answer other commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from clustergen import (
    comparison,
    expansion,
    picture,
    preflight,
    quotation,
    readme,
    report,
)
from clustergen.comparison import Comparison
from clustergen.comparison.model import Standing
from clustergen.comparison.words import counts, verdict
from clustergen.compiler import Checked
from clustergen.cost.words import usd
from clustergen.expansion.model import PLAIN, Expansion
from clustergen.expansion.yaml import flow
from clustergen.picture import Box
from clustergen.plan.model import Plan
from clustergen.quotation import Quotation
from clustergen.report_page import cards, markdown
from clustergen.report_page.cards import Cards
from clustergen.report_page.findings import Shown, findings
from clustergen.report_page.markdown import Block, Line, Span
from clustergen.source.nodes import dotted

if TYPE_CHECKING:
    from clustergen.difference import Difference


class Section(NamedTuple):
    """A part of the page below a heading."""

    heading: str
    blocks: tuple[Block, ...]
    cards: tuple[Cards, ...] = ()
    more: str = ""
    """The title of what readers open if they want it."""
    closed: tuple[Block, ...] = ()


class Service(NamedTuple):
    """What the page shows for one target."""

    standing: Standing
    picture: Box | None = None
    """None where the spec does not render."""
    sections: tuple[Section, ...] = ()

    @property
    def glance(self) -> tuple[str, str, str, str]:
        """Title, whether it renders, USD per hour, findings."""
        bill = self.standing.bill
        price = f"{usd(bill.usd(1))}{'+' if bill.unknown else ''}" if bill else ""
        return self.standing.target.title, verdict(self.standing), price, counts(self.standing)


class Page(NamedTuple):
    """The whole page."""

    name: str
    source: str
    place: str
    """Region and zone; empty where nothing could be planned."""
    findings: tuple[Shown, ...]
    summary: str
    """The number of findings; empty without any."""
    services: tuple[Service, ...]
    comparison: Section | None
    chosen: bool
    """Whether the spec or the user named the targets; otherwise it is the best fit."""

    @property
    def partial(self) -> bool:
        """Whether a price is unknown, which a + marks."""
        bills = (service.standing.bill for service in self.services)
        return any(bill and bill.unknown for bill in bills)


class Given(NamedTuple):
    """What the page is about."""

    title: str
    """The file of the spec."""
    checked: Checked
    compared: Comparison
    """The spec on every target."""
    differences: Mapping[str, Difference]
    """What has changed, by target; empty without something to compare with."""
    bundles: Mapping[str, Section]
    """Where the bundles are, by target."""
    chosen: bool = True


def page(given: Given) -> Page:
    """The page of a checked spec."""
    checked = given.checked
    names = [name for name in checked.targets if name]
    own = comparison.compare(given.title, checked, names)
    plan = next(iter(checked.plans.values()), None)
    zone = f", zone {plan.network.zone}" if plan and plan.network.zone else ""
    return Page(
        name=plan.name if plan else given.title,
        source=given.title,
        place=f"Region {plan.region}{zone}" if plan else "",
        findings=tuple(findings(checked.findings)),
        summary=report.summary(report.order.shown(checked.findings)),
        services=tuple(_service(standing, given) for standing in own.standings),
        comparison=_comparison(given.compared),
        chosen=given.chosen,
    )


def _service(standing: Standing, given: Given) -> Service:
    name, bill = standing.target.name, standing.bill
    if bill is None:
        return Service(standing)
    plan = given.checked.plans[name]
    drawn = picture.picture(plan, standing.target)
    quoted = Quotation(given.title, plan.name, standing.target, bill)
    sections = [*_sections(quoted, plan, given)]
    if changed := given.differences.get(name):
        from clustergen.report_page import changes  # needs what reads and compares bundles

        drawn = drawn.noted(changes.notes(changed))
        sections.insert(0, Section("What changes", changes.blocks(changed)))
    return Service(standing, drawn, tuple(sections))


def _sections(quoted: Quotation, plan: Plan, given: Given) -> Iterator[Section]:
    # Findings are on the page already. Of costs and decisions, it has more than the README.
    subject = readme.Subject(plan, quoted.target, checklist=preflight.checklist(plan))
    for heading in readme.SECTIONS:
        if heading == "Cost":
            _, *blocks = markdown.blocks(quotation.render("markdown", [quoted], None))
            yield Section(heading, tuple(blocks))
        elif heading == "Decided by default":
            yield _decisions(expansion.expand(given.checked, plan.target))
        elif found := readme.section(heading, subject):
            yield Section(heading, _read(found))
        if heading == "What will exist":
            yield Section("Network cards", (), tuple(cards.maps(plan)))
    yield given.bundles[plan.target]


def _read(blocks: Iterable[str]) -> tuple[Block, ...]:
    return tuple(block for text in blocks for block in markdown.blocks(text))


_DECIDED: Final = tuple((Span("text", title),) for title in ("Field", "Value", "Why"))


def _decisions(expanded: Expansion) -> Section:
    """The values that the spec leaves open; those with a reason of their own come first."""
    rows: dict[bool, list[tuple[Line, ...]]] = {True: [], False: []}
    for path, (value, reason) in expanded.defaults.items():
        cells = (Span("code", dotted(path)), Span("code", flow(value)), Span("text", reason))
        rows[reason != PLAIN].append(tuple((cell,) for cell in cells))
    tables = (Block("table", header=_DECIDED, rows=tuple(found)) for found in rows.values())
    reasoned, plain = tables
    return Section(
        "Decided by default",
        (reasoned,) if reasoned.rows else (),
        more="Values that depend on nothing",
        closed=(plain,) if plain.rows else (),
    )


def _comparison(compared: Comparison) -> Section | None:
    if not compared.standings:
        return None
    _, _, *blocks = markdown.blocks(comparison.render("markdown", [compared]))
    table = tuple(takewhile(lambda block: block.kind != "heading", blocks))
    more = "What each target does differently"
    return Section("Comparison of targets", table, more=more, closed=tuple(blocks[len(table) :]))


def bundle(folder: str, files: Sequence[str], link: str) -> Section:
    """The files of a bundle, which is at ``link`` from the page; none if it is not rendered."""
    if not files:
        spans = markdown.spans(f"`clustergen render` writes the bundle to `{folder}`.")
        return Section("Bundle", (Block("paragraph", (spans,)),))
    links = tuple((Span("link", file, quote(f"{link}/{file}")),) for file in files)
    return Section("Bundle", (Block("list", links),))

"""What the page of a spec shows, collected from the functions that answer other commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from clustergen import output
from clustergen.analysis import compare, graph
from clustergen.analysis.compare import Comparison
from clustergen.analysis.compare.model import Standing
from clustergen.analysis.compare.view import counts, differences, fits, verdict
from clustergen.analysis.cost import Estimate
from clustergen.analysis.cost.view import bill
from clustergen.analysis.graph import Box
from clustergen.analysis.plan import expand
from clustergen.analysis.plan.model import PLAIN, ExpandedSpec
from clustergen.analysis.plan.yaml import flow
from clustergen.analysis.report import cards
from clustergen.analysis.report.cards import Cards
from clustergen.analysis.report.findings import Shown, findings
from clustergen.analysis.report.readme import blocks
from clustergen.bundle import readme
from clustergen.checking import preflight
from clustergen.checking.compiler import Checked
from clustergen.output.blocks import Block, Code, Items, Line, Link, Paragraph, marked, table
from clustergen.plan.model import Plan
from clustergen.services.cost.formatting import usd
from clustergen.spec.source.nodes import dotted

if TYPE_CHECKING:
    from clustergen.analysis.diff import Diff


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
    diagram: Box | None = None
    """None where the spec does not render."""
    sections: tuple[Section, ...] = ()

    @property
    def glance(self) -> tuple[str, str, str, str]:
        """Title, whether it renders, USD per hour, findings."""
        bill = self.standing.bill
        price = f"{usd(bill.usd(1))}{'+' if bill.unknown else ''}" if bill else ""
        return self.standing.target.title, verdict(self.standing), price, counts(self.standing)


class Page(NamedTuple):
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
    differences: Mapping[str, Diff]
    """What has changed, by target; empty without something to compare with."""
    bundles: Mapping[str, Section]
    """Where the bundles are, by target."""
    chosen: bool = True


def page(given: Given) -> Page:
    """The page of a checked spec."""
    checked = given.checked
    names = [name for name in checked.targets if name]
    own = compare.compare(given.title, checked, names)
    plan = next(iter(checked.plans.values()), None)
    zone = f", zone {plan.network.zone}" if plan and plan.network.zone else ""
    return Page(
        name=plan.name if plan else given.title,
        source=given.title,
        place=f"Region {plan.region}{zone}" if plan else "",
        findings=tuple(findings(checked.findings)),
        summary=output.summary(output.order.shown(checked.findings)),
        services=tuple(_service(standing, given) for standing in own.standings),
        comparison=_comparison(given.compared),
        chosen=given.chosen,
    )


def _service(standing: Standing, given: Given) -> Service:
    name, bill = standing.target.name, standing.bill
    if bill is None:
        return Service(standing)
    plan = given.checked.plans[name]
    drawn = graph.diagram(plan, standing.target)
    quoted = Estimate(given.title, plan.name, standing.target, bill)
    sections = [*_sections(quoted, plan, given)]
    if changed := given.differences.get(name):
        from clustergen.analysis.diff import view  # needs what reads and compares bundles
        from clustergen.analysis.report import changes

        drawn = drawn.noted(changes.notes(changed))
        sections.insert(0, Section("What changes", tuple(view.blocks(changed))))
    return Service(standing, drawn, tuple(sections))


def _sections(quoted: Estimate, plan: Plan, given: Given) -> Iterator[Section]:
    # Findings are on the page already. Of costs and decisions, it has more than the README.
    subject = readme.Subject(plan, quoted.target, checklist=preflight.checklist(plan))
    for heading, text in readme.sections(subject).items():
        if heading == "Cost":
            yield Section(heading, tuple(bill(quoted)))
        elif heading == "Decided by default":
            yield _decisions(expand(given.checked, plan.target))
        else:
            yield Section(heading, tuple(blocks(text)))
        if heading == "What will exist":
            yield Section("Network cards", (), tuple(cards.maps(plan)))
    yield given.bundles[plan.target]


def _decisions(expanded: ExpandedSpec) -> Section:
    """The values that the spec leaves open; those with a reason of their own come first."""
    rows: dict[bool, list[tuple[Line, ...]]] = {True: [], False: []}
    for path, (value, reason) in expanded.defaults.items():
        cells = (Code(dotted(path)),), (Code(flow(value)),), reason
        rows[reason != PLAIN].append(cells)
    reasoned, plain = (tuple(table(("Field", "Value", "Why"), found)) for found in rows.values())
    return Section(
        "Decided by default", reasoned, more="Values that depend on nothing", closed=plain
    )


def _comparison(compared: Comparison) -> Section | None:
    if not compared.standings:
        return None
    more = "What each target does differently"
    shown, closed = (tuple(part(compared)) for part in (fits, differences))
    return Section("Comparison of targets", shown, more=more, closed=closed)


def bundle(folder: str, files: Sequence[str], link: str) -> Section:
    """The files of a bundle, which is at ``link`` from the page; none if it is not rendered."""
    if not files:
        line = marked(f"`clustergen render` writes the bundle to `{folder}`.")
        return Section("Bundle", (Paragraph(line),))
    links = tuple((Link(quote(f"{link}/{file}"), file),) for file in files)
    return Section("Bundle", (Items(links),))

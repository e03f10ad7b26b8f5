"""A comparison as a table of features and targets, and a section on each target."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from clustergen.analysis.compare.model import Change, Comparison, Standing
from clustergen.base.findings import Severity, Span
from clustergen.output import blocks as page
from clustergen.plan.features import Feature, Level, Support
from clustergen.services.cost.formatting import usd

LEVELS: Mapping[Level, str] = {
    "full": "supported",
    "managed": "handled by the service",
    "partial": "supported with differences",
    "none": "not supported",
}
"""Meaning of each level in the support matrix."""

UNUSED, UNKNOWN = "-", "?"
CELLS: Mapping[str, str] = {
    **{str(level): meaning for level, meaning in LEVELS.items()},
    UNUSED: "not used",
    UNKNOWN: "unknown, because the spec cannot be planned",
}
"""Meaning of cells in a comparison."""

PARTIAL = "without the parts whose price is unknown, which `clustergen cost` names"

ORDER = "Ranked by: renders, then fewest none, fewest partial, fewest warnings. Ties share a rank."


def blocks(comparison: Comparison) -> Iterator[page.Block]:
    """A comparison; nothing for a spec that could not be planned."""
    if comparison.standings:
        yield from (page.Heading(comparison.name), page.Paragraph(comparison.source))
        yield from (*fits(comparison), *differences(comparison))


def fits(comparison: Comparison) -> Iterator[page.Block]:
    """The table of features and targets, and which target fits best."""
    standings = comparison.standings
    yield from page.table(("feature", *(s.target.title for s in standings)), _rows(comparison))
    yield page.Items(tuple(_legend(comparison)))
    if len(standings) > 1:
        yield page.Paragraph((page.Strong(conclusion(comparison)), f" {ORDER}"))


def differences(comparison: Comparison) -> Iterator[page.Block]:
    """What each target does differently, the best first."""
    for standing in sorted(comparison.standings, key=lambda standing: standing.place):
        yield from _target(standing, comparison)


def _rows(comparison: Comparison) -> Iterator[Sequence[str]]:
    standings = comparison.standings
    for feature in comparison.features:
        yield feature.title, *(cell(standing, feature) for standing in standings)
    yield ()
    for severity in Severity:
        yield f"{severity}s", *(str(len(standing.of(severity))) for standing in standings)
    yield "renders", *("yes" if standing.renders else "no" for standing in standings)
    yield from costs(standings)
    if len(standings) > 1:
        yield "rank", *(str(standing.place) for standing in standings)


def _legend(comparison: Comparison) -> Iterator[page.Line]:
    """The meaning of each cell that occurs."""
    standings = comparison.standings
    found = {cell(standing, feature) for standing in standings for feature in comparison.features}
    for word, meaning in CELLS.items():
        if word in found:
            yield page.Strong(word), f": {meaning}"
    if any(standing.bill and standing.bill.unknown for standing in standings):
        yield page.Strong("+"), ": ", *page.marked(PARTIAL)


def _target(standing: Standing, comparison: Comparison) -> Iterator[page.Block]:
    yield page.Heading(standing.target.title, 2)
    yield page.Paragraph(
        (page.Code(standing.target.name), f" {verdict(standing)}; {counts(standing)}.")
    )
    places = ((where(change.places, comparison.source), change) for change in standing.changes)
    changes = (f"{place}: {what(change)}" if place else what(change) for place, change in places)
    yield from page.listed("To fix:", changes)
    yield from _features(standing, "partial", "Supported with differences:")
    yield from _features(standing, "managed", "Handled by the service:")


def _features(standing: Standing, level: Level, head: str) -> Iterable[page.Block]:
    answers = standing.answers(level)
    return page.listed(
        head, ((f"{of.title}: ", *page.marked(s.how), _source(s)) for of, s in answers)
    )


def _source(support: Support) -> page.Aside:
    source = support.source
    url = page.Link(source) if source.startswith("https://") else source
    return page.Aside((" (", url, f", {support.checked})"))


def cell(standing: Standing, feature: Feature) -> str:
    """The support level of a feature, or the reason for its absence."""
    if standing.used is None:
        return UNKNOWN
    answer = standing.answer(feature)
    return answer.level if answer else UNUSED


def costs(standings: Sequence[Standing]) -> Iterator[Sequence[str]]:
    """The rows on cost: at the minimum and the maximum, if they differ."""
    low, high = ([_usd(standing, side) for standing in standings] for side in (0, 1))
    if low == high:
        yield "USD per hour", *low
    else:
        yield "USD per hour, low", *low
        yield "USD per hour, high", *high


def _usd(standing: Standing, side: int) -> str:
    """With a + where a price is unknown; nothing where the spec does not render."""
    bill = standing.bill
    if bill is None:
        return UNUSED
    amount = bill.usd(1)[side]
    return usd((amount, amount)) + ("+" if bill.unknown else "")


def counts(standing: Standing) -> str:
    """``2 errors (SUP001, CAP300), 1 note (STG302)``."""
    parts: list[str] = []
    for severity in Severity:
        if found := standing.of(severity):
            codes = ", ".join(dict.fromkeys(finding.code for finding in found))
            parts.append(f"{len(found)} {severity}{'s' if len(found) > 1 else ''} ({codes})")
    return ", ".join(parts) or "nothing to report"


def verdict(standing: Standing) -> str:
    """Whether the spec renders for the target."""
    if standing.used is None:
        return "cannot be planned"
    return "renders" if standing.renders else "does not render"


def conclusion(comparison: Comparison) -> str:
    """The best target for the spec, or the targets that tie."""
    best = [s.target.name for s in comparison.standings if s.place == 1]
    tied = " (tied)" if len(best) > 1 else ""
    fit = "Best fit" if comparison.least_lost else "No target renders this spec. Closest"
    return f"{fit}: {', '.join(best)}{tied}."


def what(change: Change) -> str:
    """The problem and its fix, as one sentence."""
    message = " ".join(change.message.split())
    way_out = " ".join(change.way_out.split())
    return f"{message}: {way_out}" if way_out else message


def where(places: Sequence[Span], source: str) -> str:
    """``lines 17, 21``; other files and arguments are named."""
    own = [str(span.line) for span in places if span.file == source]
    others = [
        span.file if span.file.startswith("--set ") else f"{span.file}:{span.line}"
        for span in places
        if span.file != source
    ]
    several = len(set(own)) > 1
    lines = [f"line{'s' if several else ''} {', '.join(dict.fromkeys(own))}"] if own else []
    return ", ".join([*lines, *dict.fromkeys(others)])

"""Sentences that the text and Markdown comparisons share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clustergen.comparison.model import Change, Comparison, Standing
from clustergen.cost.words import usd
from clustergen.features import Feature, Level
from clustergen.findings import Severity, Span

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

COST_MEANING = "+: without the parts whose price is unknown, which `clustergen cost` names"

ORDER = "Ranked by: renders, then fewest none, fewest partial, fewest warnings. Ties share a rank."


def cell(standing: Standing, feature: Feature) -> str:
    """The support level of a feature, or the reason for its absence."""
    if standing.used is None:
        return UNKNOWN
    answer = standing.answer(feature)
    return answer.level if answer else UNUSED


def costs(standings: Sequence[Standing]) -> Iterator[tuple[str, list[str]]]:
    """Titles and cells of the rows on cost: at the minimum and the maximum, if they differ."""
    low, high = ([_usd(standing, side) for standing in standings] for side in (0, 1))
    if low == high:
        yield "USD per hour", low
    else:
        yield "USD per hour, low", low
        yield "USD per hour, high", high


def _usd(standing: Standing, side: int) -> str:
    """With a + where a price is unknown; nothing where the spec does not render."""
    bill = standing.bill
    if bill is None:
        return UNUSED
    amount = bill.usd(1)[side]
    return usd((amount, amount)) + ("+" if bill.unknown else "")


def counts(standing: Standing) -> str:
    """``2 errors (SUP001, CAP300), 1 note (STG302)``."""
    parts = [_count(standing, severity) for severity in Severity if standing.of(severity)]
    return ", ".join(parts) or "nothing to report"


def _count(standing: Standing, severity: Severity) -> str:
    found = standing.of(severity)
    codes = ", ".join(dict.fromkeys(finding.code for finding in found))
    return f"{len(found)} {severity}{'s' if len(found) > 1 else ''} ({codes})"


def verdict(standing: Standing) -> str:
    """Whether the spec renders for the target."""
    if standing.used is None:
        return "cannot be planned"
    return "renders" if standing.renders else "does not render"


def conclusion(comparison: Comparison) -> str:
    """The best target for the spec, or the targets that tie."""
    best = [s.target.name for s in comparison.standings if s.place == 1]
    named = ", ".join(best)
    tied = " (tied)" if len(best) > 1 else ""
    if comparison.least_lost:
        return f"Best fit: {named}{tied}."
    return f"No target renders this spec. Closest: {named}{tied}."


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

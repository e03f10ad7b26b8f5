"""Sentences that the comparisons for people share, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clustergen.comparison.model import Change, Comparison, Standing
from clustergen.features import Feature, Level
from clustergen.findings import Severity, Span

LEVELS: Mapping[Level, str] = {
    "full": "the target does it",
    "managed": "the service does it by itself",
    "partial": "done differently",
    "none": "cannot",
}
"""What the words of the matrix mean."""

UNUSED, UNKNOWN = "-", "?"
CELLS: Mapping[str, str] = {
    **{str(level): meaning for level, meaning in LEVELS.items()},
    UNUSED: "not used with it",
    UNKNOWN: "not known, as nothing could be planned",
}
"""What may stand in a cell of a comparison."""

ORDER = (
    "Order: what renders first, then the fewest features that it cannot do, then the fewest done "
    "differently, then the fewest warnings."
)


def cell(standing: Standing, feature: Feature) -> str:
    """What a target makes of a feature, in one word."""
    if standing.used is None:
        return UNKNOWN
    answer = standing.answer(feature)
    return answer.level if answer else UNUSED


def counts(standing: Standing) -> str:
    """``2 errors (SUP001, CAP300), 1 note (STG302)``."""
    said = [_count(standing, severity) for severity in Severity if standing.of(severity)]
    return ", ".join(said) or "nothing to report"


def _count(standing: Standing, severity: Severity) -> str:
    found = standing.of(severity)
    codes = ", ".join(dict.fromkeys(finding.code for finding in found))
    return f"{len(found)} {severity}{'s' if len(found) > 1 else ''} ({codes})"


def verdict(standing: Standing) -> str:
    """Whether the target takes the spec as it is."""
    if standing.used is None:
        return "cannot be planned"
    return "renders" if standing.renders else "does not render as it is"


def conclusion(comparison: Comparison) -> str:
    """Which target loses least; ties are said as ties."""
    best = [s.target.name for s in comparison.standings if s.place == 1]
    named = ", ".join(best)
    alike = len(best) > 1
    if comparison.least_lost:
        return f"Least is lost with {named}{', alike' if alike else ''}."
    return f"No target renders this spec as it is; {named} {'are' if alike else 'is'} nearest."


def what(change: Change) -> str:
    """What is wrong and the way out, as one sentence."""
    message = " ".join(change.message.split())
    way_out = " ".join(change.way_out.split())
    return f"{message}: {way_out}" if way_out else message


def where(places: Sequence[Span], source: str) -> str:
    """``lines 17, 21``; other files and arguments by their name."""
    own = [str(span.line) for span in places if span.file == source]
    others = [
        span.file if span.file.startswith("--set ") else f"{span.file}:{span.line}"
        for span in places
        if span.file != source
    ]
    several = len(set(own)) > 1
    lines = [f"line{'s' if several else ''} {', '.join(dict.fromkeys(own))}"] if own else []
    return ", ".join([*lines, *dict.fromkeys(others)])

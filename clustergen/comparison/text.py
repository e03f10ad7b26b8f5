"""Comparisons as text: a table of features and targets, then a few lines on each target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.comparison import words
from clustergen.comparison.columns import columns
from clustergen.comparison.model import Comparison, Standing
from clustergen.features import Level
from clustergen.findings import Severity
from clustergen.source.characters import visible
from clustergen.terminal import wrapped


def render(comparisons: Sequence[Comparison]) -> str:
    """One block for each spec that could be planned; empty if there is none."""
    blocks = ["\n".join(_block(comparison)) for comparison in comparisons if comparison.standings]
    if not blocks:
        return ""
    return "\n\n\n".join(blocks) + "\n"


def _block(comparison: Comparison) -> Iterator[str]:
    yield from wrapped(visible(f"{comparison.name} ({comparison.source})"), "", "  ")
    yield ""
    yield from columns(list(_rows(comparison)))
    yield ""
    yield from _legend(comparison)
    if len(comparison.standings) > 1:
        yield ""
        yield from wrapped(words.conclusion(comparison), "", "")
        yield from wrapped(words.ORDER, "", "")
    for standing in comparison.by_place:
        yield ""
        yield from _target(standing, comparison)


def _rows(comparison: Comparison) -> Iterator[list[str]]:
    standings = comparison.standings
    yield ["feature", *(standing.target.name for standing in standings)]
    for feature in comparison.features:
        yield [feature.title, *(words.cell(standing, feature) for standing in standings)]
    yield []
    for severity in Severity:
        yield [f"{severity}s", *(str(len(standing.of(severity))) for standing in standings)]
    yield ["renders", *("yes" if standing.renders else "no" for standing in standings)]
    for title, cells in words.costs(standings):
        yield [title, *cells]
    if len(standings) > 1:
        yield ["rank", *(str(standing.place) for standing in standings)]


def _legend(comparison: Comparison) -> Iterator[str]:
    cells = {words.cell(s, f) for s in comparison.standings for f in comparison.features}
    meanings = (f"{word}: {meaning}" for word, meaning in words.CELLS.items() if word in cells)
    partly = any(s.bill and s.bill.unknown for s in comparison.standings)
    yield from wrapped("; ".join((*meanings, *([words.COST_MEANING] if partly else []))), "", "")


def _target(standing: Standing, comparison: Comparison) -> Iterator[str]:
    head = f"{standing.target.name}: {words.verdict(standing)}; {words.counts(standing)}"
    yield from wrapped(head, "", "  ")
    if changes := standing.changes:
        yield "  to fix"
        for change in changes:
            place = words.where(change.places, comparison.source)
            text = f"{place}: {words.what(change)}" if place else words.what(change)
            yield from wrapped(visible(text), "    ", "      ")
    yield from _features(standing, "partial", "supported with differences")
    yield from _features(standing, "managed", "handled by the service")


def _features(standing: Standing, level: Level, head: str) -> Iterator[str]:
    answers = list(standing.answers(level))
    if answers:
        yield f"  {head}"
    for feature, support in answers:
        yield from wrapped(f"{feature.title}: {support.how}", "    ", "      ")

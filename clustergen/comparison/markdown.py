"""Comparisons as Markdown, for pull requests, wikis and decision records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.comparison import words
from clustergen.comparison.model import Comparison, Standing
from clustergen.features import Level
from clustergen.findings import Severity
from clustergen.readme.markdown import escape


def render(comparisons: Sequence[Comparison]) -> str:
    """A section for each spec that could be planned."""
    sections = ["\n".join(_section(comparison)) for comparison in comparisons]
    return "".join(f"{section}\n" for section in sections if section)


def _section(comparison: Comparison) -> Iterator[str]:
    if not comparison.standings:
        return
    yield from (f"# {comparison.name}", "", f"{escape(comparison.source)}", "")
    yield from _table(comparison)
    yield from ("", *(f"- **{word}**: {meaning}" for word, meaning in words.CELLS.items()))
    if any(standing.bill and standing.bill.unknown for standing in comparison.standings):
        yield f"- **+**: {words.COST_MEANING.removeprefix('+: ')}"
    if len(comparison.standings) > 1:
        yield from ("", f"**{words.conclusion(comparison)}** {words.ORDER}")
    for standing in comparison.by_place:
        yield from _target(standing, comparison)


def _table(comparison: Comparison) -> Iterator[str]:
    standings = comparison.standings
    yield _row("feature", *(standing.target.title for standing in standings))
    yield "|---" * (1 + len(standings)) + "|"
    for feature in comparison.features:
        yield _row(feature.title, *(words.cell(standing, feature) for standing in standings))
    for severity in Severity:
        yield _row(f"{severity}s", *(str(len(standing.of(severity))) for standing in standings))
    yield _row("renders", *("yes" if standing.renders else "no" for standing in standings))
    for title, cells in words.costs(standings):
        yield _row(title, *cells)
    if len(standings) > 1:
        yield _row("rank", *(str(standing.place) for standing in standings))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _target(standing: Standing, comparison: Comparison) -> Iterator[str]:
    yield from ("", f"## {standing.target.title}", "")
    yield f"`{standing.target.name}` {words.verdict(standing)}; {words.counts(standing)}."
    if changes := standing.changes:
        yield from ("", "To fix:", "")
    for change in changes:
        place = words.where(change.places, comparison.source)
        yield f"- {escape(f'{place}: {words.what(change)}' if place else words.what(change))}"
    yield from _features(standing, "partial", "Supported with differences:")
    yield from _features(standing, "managed", "Handled by the service:")


def _features(standing: Standing, level: Level, head: str) -> Iterator[str]:
    answers = list(standing.answers(level))
    if answers:
        yield from ("", head, "")
    for feature, support in answers:
        yield f"- {feature.title}: {support.how} ({_link(support.source)}, {support.checked})"


def _link(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") else source

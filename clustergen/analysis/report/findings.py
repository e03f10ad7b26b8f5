"""Findings as the page shows them: the place, the line with the mark, the help."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from clustergen.base.findings import Finding
from clustergen.output.blocks import Line, marked
from clustergen.output.order import one_line, place, shown
from clustergen.output.text import clipped
from clustergen.spec.source.characters import visible

_LONGEST: Final = 160
"""Characters of a source line that are shown."""


class Shown(NamedTuple):
    """A finding in the words of ``clustergen check``."""

    severity: str
    code: str
    message: Line
    place: str
    line: tuple[str, str, str]
    """The source line before, under and after the mark; empty where there is none."""
    target: str
    help: tuple[Line, ...]
    sources: tuple[str, ...]
    """URLs."""


def findings(found: Iterable[Finding]) -> Iterator[Shown]:
    """The findings in source order; one that several targets share comes once."""
    for finding in shown(found):
        span = finding.span
        yield Shown(
            str(finding.severity),
            finding.code,
            marked(one_line(finding.message)),
            place(span) if span else "",
            clipped(span, _LONGEST) if span and span.text.strip() else ("", "", ""),
            finding.target,
            tuple(map(marked, visible(finding.help).splitlines())),
            tuple(finding.note.splitlines()),
        )

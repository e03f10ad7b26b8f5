"""Findings as text: the message, the source line with a caret, and the help; notes as one line.

The layout is that of rustc's diagnostics:
https://rustc-dev-guide.rust-lang.org/diagnostics.html
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from clustergen.base import terminal
from clustergen.base.findings import Finding, Severity, Span
from clustergen.output.order import Rules, about, details, one_line, place, shown, summary
from clustergen.spec.source.characters import visible

_TAB: Final = "    "
_BEFORE_CARET: Final = 40
"""Characters of a long source line that are shown before the caret."""

_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_BLUE: Final = "\x1b[1;34m"
_COLOURS: Final = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.NOTE: "\x1b[1;36m",
}


def render(findings: Sequence[Finding], rules: Rules, colour: bool = False) -> str:  # noqa: ARG001
    """One block for each finding, then the notes and a line with the numbers of all.

    Empty without findings.
    """
    merged = shown(findings)
    notes = [_line(each, colour) for each in merged if each.severity is Severity.NOTE]
    parts = [_block(each, colour) for each in merged if each.severity is not Severity.NOTE]
    if notes:
        parts.append("\n".join(notes))
    end = summary(merged) + (_MORE if notes else "")
    return "\n\n".join([*parts, end]) + "\n" if parts else ""


_MORE: Final = "; `clustergen check --output full` explains the notes"


def full(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """One block for each finding, notes as well."""
    return _summarized("\n\n", lambda each: _block(each, colour), findings)


def concise(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """A line for each finding: ``file:line:column: severity[CODE] message``."""
    return _summarized("\n", _plain_line, findings)


def _plain_line(finding: Finding) -> str:
    at = f"{place(finding.span)}: " if finding.span else ""
    return one_line(f"{at}{finding.severity}[{finding.code}] {finding.message}{about(finding)}")


def statistics(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """A line for each code with its count and title, the most frequent first."""
    merged = shown(findings)
    counts = Counter((finding.code, finding.severity) for finding in merged)
    lines = (
        f"{count:>5}  {severity:<7}  {code}  {rules[code].title if code in rules else ''}".rstrip()
        for (code, severity), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    return "\n".join([*lines, summary(merged)]) + "\n" if merged else ""


def _summarized(gap: str, form: Callable[[Finding], str], findings: Sequence[Finding]) -> str:
    """Findings, and how many there are; empty without any."""
    merged = shown(findings)
    return gap.join([*map(form, merged), summary(merged)]) + "\n" if merged else ""


def _line(note: Finding, colour: bool) -> str:
    head = _paint(f"{note.severity}[{note.code}]", _COLOURS[note.severity], colour)
    at = f" {place(note.span)}" if note.span else ""
    return f"{head}{at}: {one_line(note.message + about(note))}"


def _block(finding: Finding, colour: bool) -> str:
    head = _paint(f"{finding.severity}[{finding.code}]", _COLOURS[finding.severity], colour)
    message = _paint(f": {_indented(finding.message, 4)}", _BOLD, colour)
    margin = " " * (len(str(finding.span.line)) if finding.span else 1)
    lines = [head + message]
    if finding.span:
        lines += _source(finding, finding.span, margin, colour)
    lines += [_detail(name, text, margin, colour) for name, text in details(finding)]
    return "\n".join(lines)


def _source(finding: Finding, span: Span, margin: str, colour: bool) -> list[str]:
    """The place, and the source line with a caret, if there is one."""
    arrow = _paint(f"{margin}-->", _BLUE, colour)
    where = f"{arrow} {place(span)}"
    if not span.text.strip():
        return [where]
    before, marked, after = clipped(span, _limit(margin))
    caret = _paint("^" * max(_width(marked), 1), _COLOURS[finding.severity], colour)
    bar = _paint(f"{margin} |", _BLUE, colour)
    number = _paint(f"{span.line} |", _BLUE, colour)
    return [
        where,
        bar,
        f"{number} {before}{marked}{after}".rstrip(),
        f"{bar} {' ' * _width(before)}{caret}",
    ]


def _limit(margin: str) -> int:
    """Characters of a source line to show; beside them stand the number, a bar and two ``...``."""
    width = terminal.width()
    return width if width == terminal.WIDEST else width - len(margin) - len(" | ") - 2 * len("...")


def clipped(span: Span, limit: int) -> tuple[str, str, str]:
    """The source line before, under and after the caret, printable, at most ``limit`` characters.

    Text that is further away from the caret is left out.
    """
    start, end, text = span.column - 1, span.end - 1, span.text
    left = 0
    if len(text) > limit and start > limit - _BEFORE_CARET:
        left = start - min(_BEFORE_CARET, limit // 2)
    right = left + limit
    before, marked, after = text[left:start], text[start : min(end, right)], text[end:right]
    if left:
        before = "..." + before
    if right < len(text):
        after += "..."
    return _printable(before), _printable(marked), _printable(after)


def _printable(text: str) -> str:
    return visible(text).replace("\t", _TAB)


def _width(text: str) -> int:
    """Columns in a terminal: two for wide characters, zero for combining ones."""
    columns = [c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return len(columns) + sum(unicodedata.east_asian_width(c) in ("W", "F") for c in columns)


def _detail(name: str, text: str, margin: str, colour: bool) -> str:
    equals = _paint(f"{margin} =", _BLUE, colour)
    value = _indented(text, len(f"{margin} = {name}: "))
    return f"{equals} {_paint(name, _BOLD, colour)}: {value}"


def _indented(text: str, columns: int) -> str:
    """``text`` with all lines but the first indented."""
    return ("\n" + " " * columns).join(visible(text).splitlines())


def _paint(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{_RESET}" if colour else text

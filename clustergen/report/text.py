"""Findings as text: the message, the source line with a caret, and the help.

The layout is that of rustc's diagnostics:
https://rustc-dev-guide.rust-lang.org/diagnostics.html
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from clustergen import terminal
from clustergen.findings import Finding, Rule, Severity, Span
from clustergen.report.order import place, shown, summary
from clustergen.source.characters import visible

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


def render(
    findings: Sequence[Finding],
    rules: Mapping[str, Rule],  # noqa: ARG001 - all formats share the signature
    *,
    colour: bool = False,
) -> str:
    """One block for each finding, and a line with their number; empty without findings."""
    merged = shown(findings)
    if not merged:
        return ""
    blocks = [_block(finding, colour) for finding in merged]
    return "\n\n".join([*blocks, summary(merged)]) + "\n"


def _block(finding: Finding, colour: bool) -> str:
    head = _paint(f"{finding.severity}[{finding.code}]", _COLOURS[finding.severity], colour)
    message = _paint(f": {_indented(finding.message, 4)}", _BOLD, colour)
    margin = " " * (len(str(finding.span.line)) if finding.span else 1)
    lines = [head + message]
    if finding.span:
        lines += _source(finding, finding.span, margin, colour)
    details = (("target", finding.target), ("help", finding.help), ("note", finding.note))
    lines += [_detail(name, text, margin, colour) for name, text in details if text]
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
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _detail(name: str, text: str, margin: str, colour: bool) -> str:
    equals = _paint(f"{margin} =", _BLUE, colour)
    value = _indented(text, len(f"{margin} = {name}: "))
    return f"{equals} {_paint(name, _BOLD, colour)}: {value}"


def _indented(text: str, columns: int) -> str:
    """``text`` with all lines but the first indented."""
    return ("\n" + " " * columns).join(visible(text).splitlines())


def _paint(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{_RESET}" if colour else text

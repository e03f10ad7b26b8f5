"""Findings as text: the message, the source line with a caret, and the help.

The layout is that of rustc's diagnostics:
https://rustc-dev-guide.rust-lang.org/diagnostics.html
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from clustergen.findings import Finding, Rule, Severity, Span
from clustergen.report.order import ordered, summary
from clustergen.source.characters import visible

_TAB: Final = "    "
_LINE_LIMIT: Final = 100
"""Maximum characters of a source line; text far from the caret is clipped."""
_BEFORE_CARET: Final = 40

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
    shown = ordered(findings)
    if not shown:
        return ""
    blocks = [_block(finding, colour) for finding in shown]
    return "\n\n".join([*blocks, summary(shown)]) + "\n"


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
    place = f"{arrow} {_place(span)}"
    if not span.text.strip():
        return [place]
    before, marked, after = _clipped(span)
    caret = _paint("^" * max(_width(marked), 1), _COLOURS[finding.severity], colour)
    bar = _paint(f"{margin} |", _BLUE, colour)
    number = _paint(f"{span.line} |", _BLUE, colour)
    return [
        place,
        bar,
        f"{number} {before}{marked}{after}".rstrip(),
        f"{bar} {' ' * _width(before)}{caret}",
    ]


def _place(span: Span) -> str:
    """``file:line:column``; only the name for unreadable files and ``--set``."""
    if not span.text or span.file.startswith("--set "):
        return _one_line(span.file)
    return _one_line(f"{span.file}:{span.line}:{span.column}")


def _clipped(span: Span) -> tuple[str, str, str]:
    """The source line before, at and after the caret, printable and clipped."""
    start, end, text = span.column - 1, span.end - 1, span.text
    left = 0
    if len(text) > _LINE_LIMIT and start > _LINE_LIMIT - _BEFORE_CARET:
        left = start - _BEFORE_CARET
    right = left + _LINE_LIMIT
    before, marked, after = text[left:start], text[start : min(end, right)], text[end:right]
    if left:
        before = "..." + before
    if right < len(text):
        after += "..."
    return _printable(before), _printable(marked), _printable(after)


def _printable(text: str) -> str:
    return visible(text).replace("\t", _TAB)


def _one_line(text: str) -> str:
    return visible(text).replace("\n", "\\n").replace("\r", "\\r")


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

"""The diagram as SVG: readable without a viewer of ours, in light and dark, and by a screen reader.

Boxes are as wide as their text, in rows of at most :data:`WIDEST`. The font is monospaced, so that
widths do not depend on the machine that renders them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from clustergen.analysis.graph.model import Box

_CHARACTER, _LINE, _PAD, _GAP = 7.3, 17, 12, 12
"""Sizes in pixels, at a font size of 12."""
_CHARACTERS: Final = 34
"""Of a line; longer ones are wrapped."""
WIDEST: Final = 1100

STYLE: Final = """\
.cluster text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}
.cluster .t{font-weight:600}
.cluster rect{stroke:#57606a;fill:#fff}
.cluster .region{fill:#f6f8fa}.cluster .vpc{fill:#eef6ff}.cluster .subnet{fill:#fff}
.cluster .service{fill:#fff4e5}.cluster .nodes{fill:#e6f4ea}.cluster .storage{fill:#f3e8fd}
.cluster .network{fill:#fdecea}
.cluster .changed{stroke:#b42318;stroke-width:3;stroke-dasharray:6 3}
@media screen and (prefers-color-scheme:dark){
.cluster text{fill:#e6edf3}.cluster rect{stroke:#8b949e}
.cluster .region{fill:#0d1117}.cluster .vpc{fill:#10243e}.cluster .subnet{fill:#161b22}
.cluster .service{fill:#3d2b12}.cluster .nodes{fill:#12321f}.cluster .storage{fill:#2d1f40}
.cluster .network{fill:#3d1a17}.cluster .changed{stroke:#ff7b72}}"""
"""For what :func:`drawing` draws; it applies to nothing else of a page."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A box with its size and the places of the boxes inside, from its own corner."""

    box: Box
    title: Sequence[str]
    text: Sequence[str]
    width: float
    height: float
    inside: tuple[tuple[float, float, _Placed], ...]


def render(box: Box) -> str:
    return drawing(box, f"<style>{STYLE}</style>")


def drawing(box: Box, style: str = "", prefix: str = "") -> str:
    """An ``svg`` element; a page with several gives each another ``prefix``, and has the style."""
    placed = _place(box, WIDEST)
    width, height = round(placed.width), round(placed.height)
    title, description = f"{prefix}title", f"{prefix}description"
    in_words = ". ".join(": ".join((each.title, *each.lines)) for each in box.all())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cluster" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{title} {description}">',
        f'<title id="{title}">{_text(box.title)}</title>',
        f'<desc id="{description}">{_text(in_words)}</desc>',
        *([style] if style else []),
        *_drawn(placed, 0, 0),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _place(box: Box, most: float) -> _Placed:
    title = textwrap.wrap(box.title, _CHARACTERS) or [""]
    text = [part for line in box.lines for part in textwrap.wrap(line, _CHARACTERS)]
    top = _PAD + _LINE * (len(title) + len(text))
    rows = _rows([_place(each, most - 2 * _PAD) for each in box.inside], most - 2 * _PAD)
    inside: list[tuple[float, float, _Placed]] = []
    width = max(len(line) for line in (*title, *text)) * _CHARACTER + 2 * _PAD
    y = top + (_GAP / 2 if rows else 0)
    for row in rows:
        x = float(_PAD)
        for each in row:
            inside.append((x, y, each))
            x += each.width + _GAP
        width = max(width, x - _GAP + _PAD)
        y += max(each.height for each in row) + _GAP
    height = y - _GAP + _PAD if rows else top + _PAD / 2
    return _Placed(box, title, text, width, height, tuple(inside))


def _rows(boxes: Sequence[_Placed], most: float) -> list[list[_Placed]]:
    rows: list[list[_Placed]] = []
    used = most
    for box in boxes:
        if not rows or used + box.width > most:
            rows.append([])
            used = 0.0
        rows[-1].append(box)
        used += box.width + _GAP
    return rows


def _drawn(placed: _Placed, x: float, y: float) -> Iterator[str]:
    style = f"{placed.box.kind} changed" if placed.box.changed else placed.box.kind
    yield (
        f'<rect class="{style}" x="{x + 0.5:.1f}" y="{y + 0.5:.1f}" '
        f'width="{placed.width - 1:.1f}" height="{placed.height - 1:.1f}" rx="6"/>'
    )
    line = y + _PAD + 4
    for text in placed.title:
        yield f'<text class="t" x="{x + _PAD:.1f}" y="{line + 4:.1f}">{_text(text)}</text>'
        line += _LINE
    for text in placed.text:
        yield f'<text x="{x + _PAD:.1f}" y="{line + 4:.1f}">{_text(text)}</text>'
        line += _LINE
    for left, top, inner in placed.inside:
        yield from _drawn(inner, x + left, y + top)


def _text(text: str) -> str:
    """XML has no control characters, not even escaped."""
    return escape("".join(c if c.isprintable() else " " for c in text))

"""Text in columns, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 100
"""Maximum width of a line."""
_GAP = "  "


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as aligned lines of at most :data:`WIDTH` characters; the first cell of a row may wrap.

    The first row is the header. A row without cells is an empty line.
    """
    widths = [max(len(row[i]) for row in rows if row) for i in range(1, len(rows[0]))]
    room = WIDTH - sum(widths) - len(_GAP) * len(widths)
    first = min(room, max(len(row[0]) for row in rows if row))
    for row in rows:
        yield from _row(row, first, widths) if row else ("",)


def _row(row: Sequence[str], first: int, widths: Sequence[int]) -> Iterator[str]:
    head, *more = textwrap.wrap(row[0], first, subsequent_indent="  ") or [""]
    cells = zip(row[1:], widths, strict=True)
    yield _GAP.join([f"{head:<{first}}", *(f"{cell:<{width}}" for cell, width in cells)]).rstrip()
    yield from more


def wrapped(text: str, first: str, rest: str) -> list[str]:
    """``text`` wrapped to :data:`WIDTH`; ``first`` and ``rest`` are prefixes of lines."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )

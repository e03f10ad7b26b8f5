"""Text in columns, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from clustergen import terminal

_GAP = "  "
_FIRST = 22
"""Characters that the first cell of a row has at least."""


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as aligned lines that fit the terminal; the first cell of a row may wrap.

    The first row is the header. A row without cells is an empty line. Columns that do not fit
    follow below, in a table with the same first column.
    """
    widths = [max(len(row[i]) for row in rows if row) + len(_GAP) for i in range(1, len(rows[0]))]
    start = 0
    while start < len(widths):
        end = start + 1
        while end < len(widths) and sum(widths[start : end + 1]) <= terminal.width() - _FIRST:
            end += 1
        if start:
            yield ""
        yield from _table([[*row[:1], *row[start + 1 : end + 1]] for row in rows])
        start = end


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[i]) for row in rows if row) for i in range(1, len(rows[0]))]
    room = terminal.width() - sum(widths) - len(_GAP) * len(widths)
    first = max(1, min(room, max(len(row[0]) for row in rows if row)))
    for row in rows:
        yield from _row(row, first, widths) if row else ("",)


def _row(row: Sequence[str], first: int, widths: Sequence[int]) -> Iterator[str]:
    head, *more = textwrap.wrap(row[0], first, subsequent_indent="  ") or [""]
    cells = zip(row[1:], widths, strict=True)
    yield _GAP.join([f"{head:<{first}}", *(f"{cell:<{width}}" for cell, width in cells)]).rstrip()
    yield from more

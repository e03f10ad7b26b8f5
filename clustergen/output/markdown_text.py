"""Markdown that is also readable as plain text, with escaped user text."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from clustergen.base.findings import Path
from clustergen.base.patterns import pattern

# Characters that may begin a cell, a link, code, emphasis or HTML within a line. Underscores within
# words have no meaning in Markdown.
_SPECIAL: Final = pattern(r"[\\`*|<>\[\]~]")

Row = Sequence[str]


def escape(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", _one_line(text))


def _one_line(text: str) -> str:
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())


def table(header: Row, rows: Iterable[Row], right: Sequence[int] = ()) -> str:
    """A table of plain text, without columns that are empty in every row; empty without rows.

    Columns ``right`` hold numbers.
    """
    cells = [[escape(cell) for cell in row] for row in rows]
    kept = [column for column in range(len(header)) if any(row[column] for row in cells)]
    lines = [[row[column] for column in kept] for row in (header, *cells)]
    return aligned(lines, {kept.index(column) for column in right if column in kept})


def aligned(lines: Sequence[Row], right: Collection[int]) -> str:
    """A header and rows, in Markdown, below each other; empty without columns."""
    if not lines[0]:
        return ""
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    ends = [column in right for column in range(len(widths))]
    rule = [("-" * (w - 1) + ":") if r else "-" * w for w, r in zip(widths, ends, strict=True)]
    return "\n".join(_row(row, widths, ends) for row in (lines[0], rule, *lines[1:]))


def _row(row: Row, widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = (
        cell.rjust(width) if is_right else cell.ljust(width)
        for cell, width, is_right in zip(row, widths, right, strict=True)
    )
    return f"| {' | '.join(cells)} |"


def count(number: int, noun: str, ending: str = "s") -> str:
    """``1 node``, ``1,024 nodes``; ``ending`` makes the plural."""
    return f"{number:,} {noun}{'' if number == 1 else ending}"


def spec_path(path: Path) -> str:
    """A path into the spec in its usual notation, as code: ``node_groups[0].placement``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"`{_one_line(''.join(steps).removeprefix('.')).replace('`', '')}`"

"""Blocks as text for a terminal, as wide as it is."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from clustergen.base import terminal
from clustergen.output import blocks
from clustergen.output.blocks import Block, Line, Table
from clustergen.spec.source.characters import visible

_GAP = "  "
_PROSE = 40
"""Characters of a cell from which on it is a text to read, not a value to compare."""

Row = Sequence[str]


def text(document: Iterable[Block]) -> str:
    """A document with a final line end; empty without blocks."""
    return "".join(f"{line}\n" for line in _lines(document))


def _lines(document: Iterable[Block]) -> Iterator[str]:
    """The title, airy blocks below it, and dense sections below their headings."""
    before: Block | None = None
    indent = ""
    for block in document:
        headed = isinstance(before, blocks.Paragraph) and isinstance(block, blocks.Items)
        indent = "" if isinstance(block, blocks.Heading) else indent
        if before and not indent and not headed:
            yield ""
        yield from _block(block, indent + "  " * headed)
        indent = "  " if isinstance(block, blocks.Heading) and before else indent
        before = block


def _block(block: Block, indent: str) -> Iterator[str]:
    match block:
        case blocks.Heading(line) | blocks.Paragraph(line):
            yield from _wrapped(line, indent, indent + "  " * isinstance(block, blocks.Heading))
        case blocks.Items(lines, first):
            for number, line in enumerate(lines, first):
                mark = f"{number}. " if first else "- "
                yield from _wrapped(line, indent + mark, indent + " " * len(mark))
        case blocks.CodeBlock(code):
            yield from (f"{indent}{line}" for line in code.splitlines())
        case Table():
            yield from (f"{indent}{line}".rstrip() for line in table(block, len(indent)))


def _wrapped(line: Line, first: str, rest: str) -> Iterator[str]:
    """The lines of a text; a command at its end is in a line of its own, to be copied."""
    match line:
        case (*before, str(head), blocks.Code(command)) if head.endswith(": "):
            yield from terminal.wrapped(_text((*before, head)), first, rest, whole_words=True)
            yield f"{rest}  {visible(command)}"
        case _:
            yield from terminal.wrapped(_text(line), first, rest, whole_words=True)


def _text(line: Line) -> str:
    spans = (line,) if isinstance(line, str) else line
    shown = (span for span in spans if not isinstance(span, blocks.Aside))
    return visible("".join(span if isinstance(span, str) else span.text for span in shown))


def table(of: Table, indent: int = 0) -> Iterator[str]:
    """Aligned columns. Those that do not fit follow below, beside the same first column.

    A table of texts that does not fit has a paragraph for each row instead.
    """
    rows = [[*map(_text, row)] for row in (of.header, *of.rows)]
    room = terminal.width() - indent
    widths = [max(map(len, column)) for column in _columns(rows)]
    fits = sum(widths) + len(_GAP) * (len(widths) - 1) <= room
    if not fits and not of.right and max(widths[1:]) > _PROSE:
        yield from _paragraphs(rows)
        return
    limits = [_limits(column, n, n in of.right) for n, column in enumerate(_columns(rows))]
    for number, part in enumerate(_parts([least for least, _ in limits], room)):
        yield from ("",) if number else ()
        narrowed = _narrowed([widths[n] for n in part], [limits[n] for n in part], room)
        picked = [[row[n] for n in part] if row else [] for row in rows]
        yield from _aligned(picked, narrowed, [n in of.right for n in part])


def _columns(rows: Sequence[Row]) -> Iterator[Row]:
    return zip(*filter(None, rows), strict=True)


def _limits(column: Row, number: int, right: bool) -> tuple[int, int]:
    """How narrow a column can be, with whole words and numbers; and if only its header wraps."""
    header, *cells = column
    words = [word for cell in cells for word in cell.split()]
    least, easy = (
        max(map(len, (*header.split(), *whole)), default=1)
        for whole in (cells if right else words, cells)
    )
    return least + (0 if number else len(_GAP)), easy


def _parts(least: Sequence[int], room: int) -> Iterator[Sequence[int]]:
    """The columns of each part of a table, the first in all of them."""
    part, used = [0], least[0]
    for number, width in enumerate(least[1:], 1):
        used += len(_GAP) + width
        if used > room and len(part) > 1:
            yield part
            part, used = [0], least[0] + len(_GAP) + width
        part.append(number)
    yield part


def _narrowed(widths: list[int], limits: Sequence[tuple[int, int]], room: int) -> Sequence[int]:
    """Widths that fit together: first headers give way, then texts, and of them the widest."""
    room -= len(_GAP) * (len(widths) - 1)
    for limit in ([max(pair) for pair in limits], [least for least, _ in limits]):
        while sum(widths) > room and (wide := [n for n, w in enumerate(widths) if w > limit[n]]):
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _aligned(rows: Sequence[Row], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    for row in rows:
        columns = [
            _cell(cell, width, "" if n else _GAP)
            for n, (cell, width) in enumerate(zip(row, widths, strict=bool(row)))
        ]
        for cells in zip_longest(*columns, fillvalue="") if any(columns) else [()]:
            padded = zip(cells, widths, right, strict=bool(cells))
            yield _GAP.join(f"{c:>{w}}" if r else f"{c:<{w}}" for c, w, r in padded).rstrip()


def _cell(text: str, width: int, rest: str) -> list[str]:
    return textwrap.wrap(
        text, width, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _paragraphs(rows: Sequence[Row]) -> Iterator[str]:
    header, *others = rows
    for first, second, *rest in filter(None, others):
        yield from terminal.wrapped(f"{first}: {second}", "", _GAP, whole_words=True)
        for title, cell in zip(header[2:], rest, strict=True):
            if cell:
                yield from terminal.wrapped(f"{title} {cell}", _GAP, _GAP * 2, whole_words=True)

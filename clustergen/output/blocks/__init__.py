"""What a command answers, as blocks: a view yields them once, and each writer shows all of them.

:mod:`.terminal` and :mod:`.markdown` are writers; ``templates/report/blocks.html.j2`` is the one of
HTML.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from clustergen.base.patterns import pattern


@dataclass(frozen=True, slots=True)
class Code:
    """A part of a line to type or to find as it is."""

    kind: ClassVar = "code"
    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """A part of a line that catches the eye."""

    kind: ClassVar = "strong"
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link; its text is the URL if there is no other."""

    kind: ClassVar = "link"
    url: str
    label: str = ""

    @property
    def text(self) -> str:
        return self.label or self.url


@dataclass(frozen=True, slots=True)
class Aside:
    """A part of a line that a terminal has no room for."""

    kind: ClassVar = "aside"
    line: Line


Spans = tuple["str | Code | Strong | Link | Aside", ...]
Line = str | Spans
"""Text without line breaks; a plain string has no markup."""


@dataclass(frozen=True, slots=True)
class Heading:
    kind: ClassVar = "heading"
    line: Line
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; one that ends with a colon introduces what follows."""

    kind: ClassVar = "paragraph"
    line: Line


@dataclass(frozen=True, slots=True)
class Items:
    """A list, numbered from ``first`` if it is not 0."""

    kind: ClassVar = "items"
    lines: tuple[Line, ...]
    first: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table; an empty row is a gap, where the writer can show one. See :func:`table`."""

    kind: ClassVar = "table"
    header: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines to copy."""

    kind: ClassVar = "code"
    text: str
    language: str = ""


Block = Heading | Paragraph | Items | Table | CodeBlock


def table(
    header: Sequence[Line], rows: Iterable[Sequence[Line]], right: Iterable[int] = ()
) -> Iterable[Table]:
    """A table without the columns that are empty in every row; none without rows."""
    cells = [tuple(row) for row in rows]
    kept = [n for n in range(len(header)) if any(row[n] for row in cells if row)]
    if kept:
        yield Table(
            tuple(header[n] for n in kept),
            tuple(tuple(row[n] for n in kept if row) for row in cells),
            frozenset(kept.index(n) for n in right if n in kept),
        )


def listed(head: str, lines: Iterable[Line]) -> Iterable[Block]:
    """A list below its introduction, if there is one; nothing without lines."""
    if items := tuple(lines):
        yield from (Paragraph(head),) if head else ()
        yield Items(items)


def marked(text: str) -> Spans:
    """A line of text in which backticks mark code, as in messages of findings."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return (text,)
    spans = (Code(part) if n % 2 else part for n, part in enumerate(parts))
    return tuple(filter(None, spans))


_URL = pattern(r"(https://[^\s<>()`\"\\]*[^\s<>()`\"\\.,;:])")


def linked(text: str) -> Spans:
    """A line of text whose URLs are links."""
    parts = _URL.split(text)
    return tuple(Link(part) if n % 2 else part for n, part in enumerate(parts) if part)


FORMATS = ("text", "json", "markdown")
"""The formats of the commands that answer with blocks or data."""


def render(format: str, documents: Iterable[Iterable[Block]], as_json: Callable[[], str]) -> str:
    """Documents in one of :data:`FORMATS`, with a final line end; empty without any."""
    if format == "json":
        return as_json()
    name = {"text": "terminal"}.get(format, format)
    writer = importlib.import_module(f"{__name__}.{name}")
    texts = (writer.text(blocks) for blocks in documents)
    return "\n".join(filter(None, texts))

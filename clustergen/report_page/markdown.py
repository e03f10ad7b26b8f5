"""Reads the Markdown that clustergen writes, for formats other than Markdown.

It knows what :mod:`clustergen.readme.markdown` and the Markdown formats of commands use: headings,
paragraphs, lists, tables, code without empty lines; and within a line escapes, code, strong text
and links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, groupby
from typing import Final, Literal, NamedTuple

from clustergen.patterns import pattern


class Span(NamedTuple):
    """A part of a line."""

    kind: Literal["text", "code", "strong", "link"]
    text: str
    url: str = ""


Line = tuple[Span, ...]


class Block(NamedTuple):
    """A heading or paragraph, the items of a list, the rows of a table, or lines of code."""

    kind: Literal["heading", "paragraph", "list", "steps", "table", "code"]
    lines: tuple[Line, ...] = ()
    """One for a heading and a paragraph, one for each item of a list or line of code."""
    level: int = 0
    """Of a heading."""
    header: tuple[Line, ...] = ()
    rows: tuple[tuple[Line, ...], ...] = ()
    right: frozenset[int] = frozenset()
    """The columns with numbers."""


_LIST: Final = pattern(r"(-|\d+\.) ")
_URL: Final = r"https://[^\s<>()`\"\\]*[^\s<>()`\"\\.,;:]"
_INLINE: Final = pattern(
    r"\\(?P<escaped>[^\w\s])|`(?P<code>[^`]*)`|\*\*(?P<strong>.+?)\*\*"
    rf"|<(?P<angle>{_URL})>|\[(?P<label>[^\]\\]*)\]\((?P<target>{_URL})\)|(?P<bare>{_URL})"
)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a document."""
    for part in text.strip("\n").split("\n\n"):
        yield from _part(part.strip("\n").split("\n"))


def spans(text: str) -> Line:
    """The parts of a line; text that is no markup is taken as it is."""
    return tuple(_merged(_spans(text)))


def with_code(text: str) -> Line:
    """Text in which only code is marked, as in messages of findings."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return (Span("text", text),)
    kinds: Iterable[Literal["text", "code"]] = ("code" if n % 2 else "text" for n in count())
    return tuple(Span(kind, part) for kind, part in zip(kinds, parts, strict=False) if part)


def _part(lines: list[str]) -> Iterator[Block]:
    """The blocks in lines without an empty one between them."""
    if lines[0].startswith("#"):
        marks, _, title = lines[0].partition(" ")
        yield Block("heading", (spans(title),), level=len(marks))
        yield from _part(lines[1:]) if lines[1:] else ()
    elif lines[0].startswith("```"):
        yield Block("code", tuple((Span("text", line),) for line in lines[1:-1]))
    elif lines[0].startswith("|") and len(lines) > 1:
        yield _table(lines)
    elif _LIST.match(lines[0]):
        yield _list(lines)
    elif any(lines):
        before = next((n for n, line in enumerate(lines) if _LIST.match(line)), len(lines))
        yield Block("paragraph", (spans(" ".join(lines[:before])),))
        yield from (_list(lines[before:]),) if lines[before:] else ()


def _list(lines: list[str]) -> Block:
    items: list[str] = []
    for line in lines:
        if found := _LIST.match(line):
            items.append(line[found.end() :])
        else:
            items[-1] += f" {line.strip()}"
    kind: Literal["list", "steps"] = "list" if lines[0].startswith("-") else "steps"
    return Block(kind, tuple(map(spans, items)))


def _table(lines: list[str]) -> Block:
    header, rule, *rows = (tuple(_cells(line)) for line in lines)
    return Block(
        "table",
        header=tuple(map(spans, header)),
        rows=tuple(tuple(map(spans, row)) for row in rows),
        right=frozenset(number for number, cell in enumerate(rule) if cell.endswith(":")),
    )


def _cells(line: str) -> Iterator[str]:
    cell, escaped = "", False
    for character in line.strip().removeprefix("|"):
        if character == "|" and not escaped:
            yield cell.strip()
            cell = ""
        else:
            cell += character
        escaped = character == "\\" and not escaped


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for found in _INLINE.finditer(text):
        yield Span("text", text[start : found.start()])
        start = found.end()
        kind = found.lastgroup or ""
        if kind == "escaped":
            yield Span("text", found[kind])
        elif kind == "code":
            yield Span("code", found[kind])
        elif kind == "strong":
            yield Span("strong", "".join(span.text for span in _spans(found[kind])))
        elif kind == "target":
            yield Span("link", found["label"], found["target"])
        else:
            yield Span("link", found[kind], found[kind])
    yield Span("text", text[start:])


def _merged(found: Iterable[Span]) -> Iterator[Span]:
    """The spans, with neighbouring text as one."""
    for kind, group in groupby(found, key=lambda span: span.kind):
        if kind == "text":
            if text := "".join(span.text for span in group):
                yield Span("text", text)
        else:
            yield from group

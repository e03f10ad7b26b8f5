"""A parsed text as a tree of values with positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from clustergen.base import secrets
from clustergen.base.findings import Edit, Fix, Path, Span
from clustergen.base.patterns import pattern
from clustergen.spec.source.scalars import Scalar

_LINE_BREAK = pattern(r"\r\n|\n|\r")
_STARS = pattern(r"\*+")


@dataclass(frozen=True, slots=True)
class Text:
    """A named text, as lines for findings: secrets are masked."""

    name: str
    lines: tuple[str, ...]
    source: str = field(default="", compare=False, repr=False)
    """The whole text, with its secrets: to edit it, never to show it."""

    @classmethod
    def of(cls, name: str, text: str) -> Text:
        lines = _LINE_BREAK.split(text)
        return cls(name, tuple(secrets.hidden(lines) if secrets.may_hold(text) else lines), text)

    def unshown(self) -> list[secrets.Secret]:
        """What the lines do not show, for messages about them."""
        pairs = zip(_LINE_BREAK.split(self.source), self.lines, strict=False)
        return [
            secrets.Secret((), written[found.start() : found.end()].strip("*&!'\""), "")
            for written, shown in pairs
            if written != shown
            for found in _STARS.finditer(shown)
        ]


class Place(NamedTuple):
    """A range in a text; lines and columns count from 0, the end is exclusive, as in PyYAML."""

    text: Text
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def one_line(self) -> bool:
        """Whether it is on one line, and not empty."""
        return self.line == self.end_line and self.column < self.end_column

    def span(self) -> Span:
        """Its part on the first line, at least one column wide."""
        lines = self.text.lines
        line = lines[self.line] if self.line < len(lines) else ""
        end = self.end_column if self.line == self.end_line else len(line.rstrip())
        end = max(end, self.column + 1)
        return Span(self.text.name, self.line + 1, self.column + 1, end + 1, line)

    def replaced(self, text: str) -> Fix:
        """A safe fix that writes ``text`` in place of what is here."""
        return Fix(edits=(Edit(self.text.name, *self[1:], text),))


Items: TypeAlias = "tuple[Node, ...]"
Entries: TypeAlias = "dict[str, Node]"


@dataclass(frozen=True, slots=True)
class Node:
    """A value: a scalar, the entries of a mapping, or the items of a list."""

    value: Scalar | Entries | Items
    at: Place
    key: Place | None = None
    """Place of the key, for the value of a mapping."""

    def child(self, step: str | int) -> Node | None:
        """The child for one ``step`` of a path."""
        if isinstance(self.value, dict) and isinstance(step, str):
            return self.value.get(step)
        if isinstance(self.value, tuple) and isinstance(step, int):
            return self.value[step] if 0 <= step < len(self.value) else None
        return None

    def span(self) -> Span:
        """The best place for a caret: the value if it is on one line, else its key."""
        if self.key is not None and not self.at.one_line:
            return self.key.span()
        return self.at.span()


def plain(node: Node) -> Any:
    """The node as dict, list and scalars, without positions."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(item) for item in node.value]
    return node.value


def paths(node: Node, at: Path = ()) -> Iterator[Path]:
    """Every path below ``node``, in the order of the text."""
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            yield (*at, key)
            yield from paths(child, (*at, key))
    elif isinstance(node.value, tuple):
        for index, item in enumerate(node.value):
            yield (*at, index)
            yield from paths(item, (*at, index))


def dotted(path: Path) -> str:
    """``node_groups[0].count``; for the empty path, the whole spec."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the spec"

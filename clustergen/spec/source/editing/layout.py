"""How a text of YAML is laid out: its values with offsets, styles and anchors.

The tree of :mod:`clustergen.spec.source.nodes` has what checks need. Editing needs more, but only
for the few texts that are edited.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml

from clustergen.base.findings import Path
from clustergen.base.patterns import pattern
from clustergen.base.yaml_files import LOADER
from clustergen.spec.source.nodes import Place
from clustergen.spec.source.scalars import Scalar, resolve

_LINE_BREAK = pattern(r"\r\n|\n|\r")
_COMMENT = pattern(r"(?<!\S)#[^\r\n]*")

Marks: TypeAlias = tuple[int, int, int, int]
"""First line and column, and those of the end, as in :class:`Place`."""
Kind: TypeAlias = Literal["scalar", "mapping", "list", "alias"]


@dataclass(frozen=True, slots=True)
class Part:
    """A value in a text."""

    kind: Kind
    marks: Marks
    start: int
    end: int
    """Offset after its last character; comments behind it do not belong to it."""
    style: str
    """``{`` or ``[`` of a collection in flow style; the quote or indicator of a scalar."""
    word: str = ""
    """A scalar without its quotes."""
    keys: tuple[Part, ...] = ()
    """Of a mapping."""
    parts: tuple[Part, ...] = ()
    """The values of a mapping, or the items of a list."""
    anchor: str = ""
    """The name after ``&``; of an alias, that after ``*``."""
    has_tag: bool = False

    @property
    def value(self) -> Scalar:
        """Of a scalar."""
        return self.word if self.style else resolve(self.word)

    def names(self) -> list[str]:
        """The keys of a mapping."""
        return [key.word for key in self.keys]


class Located(NamedTuple):
    """A part of a text, with its path there and the parts around it, outermost first."""

    part: Part
    path: Path
    around: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A text, and the tree of its first document."""

    source: str
    lines: tuple[int, ...]
    """The offset of each line."""
    root: Part
    repeated: frozenset[str]
    """Names of anchors that an alias repeats."""
    has_merge_key: bool
    located: dict[tuple[Kind, Marks], Located]
    scalars: tuple[tuple[int, int], ...]
    """Start and end of each scalar, keys too, in the order of the text."""

    def find(self, place: Place, kind: Kind) -> Located | None:
        """The value at ``place`` of the text; None if it cannot be edited there."""
        found = self.located.get((kind, tuple(place[1:])))  # type: ignore[arg-type]
        if found is None or self.has_merge_key:
            return None
        chain = (*found.around, found.part)
        ambiguous = any(p.has_tag or p.anchor in self.repeated for p in chain)
        return None if ambiguous else found

    def nearest(self, path: Path) -> tuple[Located, Path]:
        """The value at ``path`` or at its nearest parent, and the rest of the path."""
        found = Located(self.root, (), ())
        while path:
            part, step = found.part, path[0]
            steps: Sequence[str | int] = part.names() or range(len(part.parts))
            if step not in steps:
                break
            child = part.parts[steps.index(step)]
            found = Located(child, (*found.path, step), (*found.around, part))
            path = path[1:]
        return found, path

    @property
    def quote(self) -> str:
        """``json`` if the text is JSON, else empty."""
        keys = self.root.keys if self.root.style == "{" else ()
        return "json" if keys and keys[0].style == '"' else ""

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 0."""
        line = bisect.bisect_right(self.lines, offset) - 1
        return line, offset - self.lines[line]

    def line_start(self, offset: int) -> int:
        return self.lines[self.position(offset)[0]]

    def line_end(self, offset: int) -> int:
        """The offset of the line break behind ``offset``, or of the end of the text."""
        match = _LINE_BREAK.search(self.source, offset)
        return match.start() if match else len(self.source)

    def next_line(self, offset: int) -> int:
        """The offset of the next line, or of the end of the text."""
        match = _LINE_BREAK.search(self.source, offset)
        return match.end() if match else len(self.source)

    def line_break(self) -> str:
        match = _LINE_BREAK.search(self.source)
        return match[0] if match else "\n"

    def comments(self, start: int, end: int) -> list[str]:
        """The comments between two offsets."""
        texts: list[str] = []
        for left, right in self._gaps(start, end):
            texts += _COMMENT.findall(self.source, left, right)
        return texts

    def _gaps(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The ranges outside of scalars."""
        first = bisect.bisect_right(self.scalars, (start, len(self.source)))
        for begin, stop in self.scalars[max(first - 1, 0) :]:
            if begin >= end:
                break
            if stop > start:
                if begin > start:
                    yield start, begin
                start = max(start, stop)
        if start < end:
            yield start, end


def _scalars(part: Part) -> Iterator[Part]:
    """The scalars and aliases in a part, keys too, in the order of the text."""
    if part.kind in ("scalar", "alias"):
        yield part
    for index, child in enumerate(part.parts):
        if part.keys:
            yield from _scalars(part.keys[index])
        yield from _scalars(child)


def data(part: Part) -> Any:
    """A part as plain data; the first of two equal keys wins."""
    if part.kind == "mapping":
        entries: dict[str, Any] = {}
        for key, child in zip(part.names(), part.parts, strict=True):
            entries.setdefault(key, data(child))
        return entries
    if part.kind == "list":
        return [data(item) for item in part.parts]
    return f"*{part.anchor}" if part.kind == "alias" else part.value


def comments_in(text: str) -> list[str]:
    """What looks like comments in a text without other ``#``."""
    return _COMMENT.findall(text)


def line_offsets(source: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in _LINE_BREAK.finditer(source)))


@functools.lru_cache(maxsize=16)
def layout(source: str) -> Layout | None:
    """The layout of a text; None if it is empty or cannot be parsed."""
    lines = line_offsets(source)
    reader = _Reader(source, lines, yaml.parse(source, Loader=LOADER))
    try:
        root = reader.document()
    except yaml.YAMLError:
        return None
    if root is None:
        return None
    located = {(each.part.kind, each.part.marks): each for each in _located(root, (), ())}
    ranges = tuple((part.start, part.end) for part in _scalars(root))
    repeated = frozenset(reader.repeated)
    return Layout(source, lines, root, repeated, reader.has_merge_key, located, ranges)


def _located(part: Part, path: Path, around: tuple[Part, ...]) -> Iterator[Located]:
    yield Located(part, path, around)
    mapping = part.kind == "mapping"
    steps: Sequence[str | int] = part.names() if mapping else range(len(part.parts))
    for step, child in zip(steps, part.parts, strict=True):
        yield from _located(child, (*path, step), (*around, part))


class _Reader:
    """Builds the tree from the parser's events."""

    def __init__(self, source: str, lines: tuple[int, ...], events: Iterator[yaml.Event]) -> None:
        self.source = source
        self.lines = lines
        self.events = events
        self.repeated: set[str] = set()
        self.has_merge_key = False

    def document(self) -> Part | None:
        next(self.events)  # the stream begins
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        root = self.part(next(self.events))
        for _ in self.events:
            pass  # the rest must be valid as well
        return root

    def part(self, event: Any) -> Part:
        if isinstance(event, yaml.AliasEvent):
            self.repeated.add(str(event.anchor))
            return self._leaf(event, "alias", "", anchor=event.anchor)
        common = {"anchor": event.anchor or "", "has_tag": event.tag is not None}
        if isinstance(event, yaml.ScalarEvent):
            style = event.style or ""
            return self._leaf(event, "scalar", style, word=event.value, **common)
        return self._collection(event, common)

    def _leaf(self, event: Any, kind: Kind, style: str, **more: Any) -> Part:
        start = self.offset(event.start_mark)
        end = self.offset(event.end_mark)
        if style in ("|", ">"):
            end = start + len(self.source[start:end].rstrip())
        return Part(kind, _marks(event, event), start, end, style, **more)

    def _collection(self, event: Any, common: dict[str, Any]) -> Part:
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        keys: list[Part] = []
        parts: list[Part] = []
        while not isinstance(after := next(self.events), yaml.CollectionEndEvent):
            if is_mapping:
                keys.append(key := self.part(after))
                self.has_merge_key |= key.word == "<<" and not key.style
                after = next(self.events)
            parts.append(self.part(after))
        start = self.offset(event.start_mark)
        style = ("{" if is_mapping else "[") if event.flow_style else ""
        inner = max((part.end for part in parts), default=start)
        end = self.offset(after.end_mark) if style else inner
        kind: Kind = "mapping" if is_mapping else "list"
        marks = _marks(event, after)
        return Part(kind, marks, start, end, style, "", tuple(keys), tuple(parts), **common)

    def offset(self, mark: Any) -> int:
        return int(self.lines[mark.line] + mark.column)


def _marks(start: Any, end: Any) -> Marks:
    begin, stop = start.start_mark, end.end_mark
    return begin.line, begin.column, stop.line, stop.column

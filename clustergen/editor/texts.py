"""Open texts: changes, and positions in the units of the client.

https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#textDocuments
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from lsprotocol import types

from clustergen.base.patterns import pattern

# The protocol's line ends. str.splitlines also splits at form feeds and U+2028.
_LINE = pattern(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class At(NamedTuple):
    """A range of a text; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, line: int, column: int) -> bool:
        """Whether the position is in the range, or at its end."""
        start, end = (self.line, self.column), (self.end_line, self.end_column)
        return start <= (line, column) <= end


@dataclass(frozen=True, slots=True)
class Text:
    """A text as the client has it, perhaps not saved yet."""

    uri: str
    content: str
    version: int | None = None
    units: str = "utf-16"
    """What the client's columns count: a position encoding of the protocol."""
    ended: tuple[str, ...] = field(init=False)
    lines: tuple[str, ...] = field(init=False)
    """The lines without their ends; at least one."""

    def __post_init__(self) -> None:
        ended = _LINE.findall(self.content)
        if len(ended) > 1 and not ended[-2].endswith(("\n", "\r")):
            ended.pop()  # the empty match behind a last line without an end
        object.__setattr__(self, "ended", tuple(ended))
        object.__setattr__(self, "lines", tuple(line.rstrip("\r\n") for line in ended))

    def changed(
        self, changes: Iterable[types.TextDocumentContentChangeEvent], version: int | None
    ) -> Self:
        """The text after the client's changes, which apply one after the other."""
        text = self
        for change in changes:
            content = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = text._offset(change.range.start), text._offset(change.range.end)
                content = text.content[:start] + change.text + text.content[max(start, end) :]
            text = replace(text, content=content)
        return replace(text, version=version)

    def position(self, position: types.Position) -> tuple[int, int]:
        """Line and column of the client's position, moved into the text if it is outside."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        line = self.lines[position.line]
        return position.line, _characters(line, position.character, self.units)

    def range(self, at: At) -> types.Range:
        """The client's range."""
        return types.Range(
            self._position(at.line, at.column), self._position(at.end_line, at.end_column)
        )

    def between(self, start: int, end: int) -> At:
        """The range between two offsets into the content."""
        return At(*self._place(start), *self._place(end))

    def end(self) -> At:
        """The empty range behind the last character."""
        last, column = len(self.lines) - 1, len(self.lines[-1])
        return At(last, column, last, column)

    def _position(self, line: int, column: int) -> types.Position:
        text = self.lines[line][:column] if line < len(self.lines) else ""
        return types.Position(line, _units(text, self.units))

    def _place(self, offset: int) -> tuple[int, int]:
        for number, line in enumerate(self.ended):
            if offset < len(line) or number == len(self.ended) - 1:
                return number, min(offset, len(self.lines[number]))
            offset -= len(line)
        return 0, 0

    def _offset(self, position: types.Position) -> int:
        line, column = self.position(position)
        return sum(map(len, self.ended[:line])) + column


def _units(text: str, units: str) -> int:
    if text.isascii():
        return len(text)
    return len(text.encode(_CODECS[units], "surrogatepass")) // _BYTES[units]


def _characters(line: str, count: int, units: str) -> int:
    """The number of characters in the first ``count`` units of ``line``."""
    if line.isascii():
        return min(count, len(line))
    taken = 0
    for index, character in enumerate(line):
        if taken >= count:
            return index
        taken += _units(character, units)
    return len(line)

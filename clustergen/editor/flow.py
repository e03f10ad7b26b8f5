"""Reading quoted text and collections in brackets and braces, closed or not."""

from collections.abc import Sequence

from clustergen.base.patterns import pattern
from clustergen.editor.outline import Kind, Node
from clustergen.editor.texts import At
from clustergen.spec.source import limits

_PLAIN = pattern(r"(?:(?!\s\#|:(?:[\s,\[\]{}]|$))[^,\[\]{}])*")
_ESCAPE = pattern(r'\\(["\\/])')


class _Unclosed(Exception):
    """The value is not closed; its text ends here."""


class FlowScanner:
    """Reads from ``row`` and ``column`` of some lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.row = 0
        self._column = 0
        self._limit = -1
        self._end = (0, 0)

    def flow(self, node: Node, column: int, limit: int) -> None:
        """Read the value at ``column`` into ``node``, and move to the line after it.

        A line that is indented by ``limit`` or less, and does not begin with a closing bracket,
        belongs to something else: the value is not closed.
        """
        self._column, self._limit = column, limit
        try:
            self._read(node, 0)
        except _Unclosed:
            return
        self.row += 1

    def _read(self, node: Node, depth: int) -> None:
        node.flow = True
        character = self._character()
        if character in ("'", '"'):
            self._quoted(node)
        elif character in ("{", "[") and depth < limits.DEPTH:
            self._brackets(node, depth)
        else:
            self._plain(node)

    def _brackets(self, node: Node, depth: int) -> None:
        start = (self.row, self._column)
        node.kind = Kind.MAP if self._character() == "{" else Kind.LIST
        self._move(1)
        try:
            while True:
                self._skip_blank()
                character = self._character()
                if character in ("}", "]"):
                    self._move(1)
                    return
                if character in (",", ":"):
                    self._move(1)
                elif node.kind is Kind.MAP:
                    self._pair(node, depth)
                else:
                    self._read(node.add(Node(self._point())), depth + 1)
        finally:
            node.at = At(*start, *self._end)

    def _pair(self, collection: Node, depth: int) -> None:
        key = Node(self._point())
        start = (self.row, self._column)
        if self._character() in ("'", '"'):
            self._quoted(key)
        else:
            self._plain(key)
        if (self.row, self._column) == start:
            self._move(1)  # a bracket that does not belong here
            return
        child = Node(key.at, key=key.text, key_at=key.at, pending=True, flow=True)
        collection.add(child)
        self._skip_blank()
        if self._character() != ":":
            return
        self._move(1)
        child.pending, child.at = False, self._point()
        self._skip_blank()
        if self._character() not in (",", "}", "]"):
            self._read(child, depth + 1)

    def _plain(self, node: Node) -> None:
        match = _PLAIN.match(self.lines[self.row], self._column)
        text = match[0].rstrip() if match else ""
        start = self._column
        self._move(max(len(text), 0 if node.key_at is None else 1))
        if not text and self._column == start:
            self._move(1)
        node.kind, node.text = Kind.SCALAR, text
        node.at = At(self.row, start, self.row, start + len(text))

    def _quoted(self, node: Node) -> None:
        quote = self._character()
        start = (self.row, self._column)
        parts: list[str] = []
        node.kind, node.quoted = Kind.SCALAR, True
        self._move(1)
        try:
            while True:
                text = self.lines[self.row]
                end = _closing(text, self._column, quote)
                parts.append(text[self._column : len(text) if end < 0 else end])
                self._move(len(parts[-1]))
                if end >= 0:
                    self._move(1)
                    return
                self._next_line()
        finally:
            text = " ".join(part.strip() if len(parts) > 1 else part for part in parts)
            node.text = text.replace("''", "'") if quote == "'" else _ESCAPE.sub(r"\1", text)
            node.at = At(*start, *self._end)

    def _character(self) -> str:
        return self.lines[self.row][self._column : self._column + 1]

    def _point(self) -> At:
        return At(self.row, self._column, self.row, self._column)

    def _move(self, columns: int) -> None:
        self._column += columns
        self._end = (self.row, self._column)

    def _skip_blank(self) -> None:
        """Move to the next character that is neither blank nor in a comment."""
        while True:
            text = self.lines[self.row]
            while self._character() in (" ", "\t"):
                self._column += 1
            character = self._character()
            comment = character == "#" and (not self._column or text[self._column - 1].isspace())
            if character and not comment:
                return
            self._next_line()

    def _next_line(self) -> None:
        row = self.row + 1
        while row < len(self.lines) and not self.lines[row].strip():
            row += 1
        text = self.lines[row] if row < len(self.lines) else ""
        content = text.lstrip()
        indentation = len(text) - len(content)
        if row >= len(self.lines) or (indentation <= self._limit and content[0] not in "}],"):
            self.row = row
            raise _Unclosed
        self.row, self._column = row, indentation


def _closing(text: str, column: int, quote: str) -> int:
    """The column of the closing quote; -1 if it is on another line."""
    while column < len(text):
        escaped = text.startswith("\\" if quote == '"' else "''", column)
        if text[column] == quote and not escaped:
            return column
        column += 2 if escaped else 1
    return -1

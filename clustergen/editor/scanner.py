"""Reading the outline of a text, line by line, without ever failing."""

from collections.abc import Sequence
from dataclasses import dataclass

from clustergen.base.patterns import pattern
from clustergen.editor.flow import FlowScanner
from clustergen.editor.outline import Kind, Node
from clustergen.editor.texts import At
from clustergen.spec.source import limits

_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'"""
_KEY = pattern(rf"""(?P<key>{_QUOTED}|[^\s"'\[\]{{}}#,](?:(?!\s\#).)*?)\s*:(?=\s|$)""")
_PROPERTIES = pattern(r"\s*(?:[&!]\S*(?:\s+|$))*")
_COMMENT = pattern(r"(?:^|\s)#")
_BLOCK_SCALAR = pattern(r"[|>][-+0-9]*\s*(?:\s#.*)?")


def outline(lines: Sequence[str]) -> list[Node]:
    """The root of each document in the text; there is at least one."""
    return _Scanner(lines).scan()


@dataclass(slots=True)
class _Open:
    """A block collection that may go on."""

    node: Node
    column: int


class _Scanner(FlowScanner):
    """Keeps the open block collections, the innermost last."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(lines)
        self.documents: list[Node] = []
        self.open: list[_Open] = []
        self._begin()

    def scan(self) -> list[Node]:
        while self.row < len(self.lines):
            self._line()
        return self.documents

    def _begin(self) -> None:
        root = Node(At(self.row, 0, self.row, 0))
        # A stand-in for what is around the document, so that the root is like any other value.
        around = Node(root.at, Kind.LIST, children=[root])
        self.documents.append(root)
        self.open = [_Open(around, -1)]

    def _line(self) -> None:
        text = self.lines[self.row]
        content = text.lstrip(" \t\ufeff")
        if not content or content.startswith("#"):
            self.row += 1
        elif text.startswith(("---", "...")) and not text[3:4].strip():
            if self.documents[-1].kind is not Kind.EMPTY or text.startswith("..."):
                self._begin()
            self.row += 1
        else:
            self._content(len(text) - len(content))

    def _content(self, column: int) -> None:
        """Read what begins at ``column`` of the line: an item, an entry, or a value."""
        text = self.lines[self.row]
        if text[column] == "-" and not text[column + 1 : column + 2].strip():
            self._item(column)
        elif match := _KEY.match(text, column):
            self._entry(column, match["key"], match.end("key"), match.end())
        else:
            self._value_or_word(column)

    def _item(self, column: int) -> None:
        collection = self._collection(column, Kind.LIST)
        text = self.lines[self.row]
        rest = text[column + 1 :]
        after = column + 1 + len(rest) - len(rest.lstrip())
        if collection is None:
            self.row += 1
            return
        point = min(column + 2, len(text))
        collection.add(Node(At(self.row, point, self.row, point)))
        if rest.strip() and not rest.lstrip().startswith("#"):
            self._content(after)
        else:
            self.row += 1

    def _entry(self, column: int, key: str, end: int, after: int) -> None:
        collection = self._collection(column, Kind.MAP)
        if collection is None:
            self.row += 1
            return
        at = At(self.row, column, self.row, end)
        point = min(after + 1, len(self.lines[self.row]))
        name = key[1:-1] if key[0] in "\"'" else key
        child = collection.add(
            Node(At(self.row, point, self.row, point), key=name, key_at=at, column=column)
        )
        self._value(child, after, column)

    def _collection(self, column: int, kind: Kind) -> Node | None:
        """The open collection of this kind at ``column``, which may begin here."""
        while self.open[-1].column > column:
            self.open.pop()
        top = self.open[-1]
        if top.column == column and top.node.kind is not kind:
            if kind is Kind.LIST and top.node.children[-1].kind is Kind.EMPTY:
                return self._begun(top.node.children[-1], column, kind)
            if len(self.open) > 1 and kind is Kind.MAP:
                self.open.pop()
                return self._collection(column, kind)
            return None
        if top.column == column:
            return top.node
        return self._inside(top.node.children[-1], column, kind, top.node)

    def _inside(self, value: Node, column: int, kind: Kind, around: Node) -> Node | None:
        """The collection that is, or becomes, the value of the last entry or item."""
        if value.kind is Kind.EMPTY or (value.bare and kind is Kind.MAP):
            return self._begun(value, column, kind)
        if value.kind is kind and not value.flow:  # indented otherwise than before
            self.open.append(_Open(value, column))
            return value
        return around if around.kind is kind and around.parent is not None else None

    def _begun(self, value: Node, column: int, kind: Kind) -> Node | None:
        if len(self.open) > limits.DEPTH:
            return None
        word = Node(value.at, key=value.text, key_at=value.at, pending=True, column=value.column)
        is_word = value.bare
        value.kind, value.column, value.bare, value.text = kind, column, False, ""
        if is_word:
            value.add(word)
        self.open.append(_Open(value, column))
        return value

    def _value_or_word(self, column: int) -> None:
        """Read a value below or behind its key or dash, or a word that is not a key yet."""
        while self.open[-1].column > column or (
            self.open[-1].column == column and self.open[-1].node.kind is Kind.LIST
        ):
            self.open.pop()
        top = self.open[-1]
        last = top.node.children[-1]
        if self.lines[self.row][column] in "{[\"'|>":
            if last.kind is Kind.EMPTY and top.column < column:
                self._value(last, column, top.column)
            else:
                self.row += 1
            return
        text = _without_comment(self.lines[self.row][column:])
        at = At(self.row, column, self.row, column + len(text))
        if top.column == column:
            top.node.add(Node(at, key=text, key_at=at, pending=True, column=column))
        elif last.kind is Kind.EMPTY:
            last.kind, last.at, last.text, last.bare = Kind.SCALAR, at, text, True
            last.column = column
        elif last.kind is Kind.SCALAR and not last.quoted:
            last.text, last.bare = f"{last.text} {text}", False
            last.at = At(last.at.line, last.at.column, at.end_line, at.end_column)
        self.row += 1

    def _value(self, node: Node, column: int, limit: int) -> None:
        """Read the value at ``column`` of the line into ``node``; what follows is after it.

        A line that is indented by ``limit`` or less ends it.
        """
        text = self.lines[self.row]
        match = _PROPERTIES.match(text, column)
        column = match.end() if match else column
        rest = text[column:]
        if not rest or rest.startswith("#"):
            self.row += 1
        elif rest[0] in "{[\"'":
            self.flow(node, column, limit)
        elif _BLOCK_SCALAR.fullmatch(rest):
            self._block_scalar(node, column, limit)
        else:
            plain = _without_comment(rest)
            node.kind, node.text = Kind.SCALAR, plain
            node.at = At(self.row, column, self.row, column + len(plain))
            self.row += 1

    def _block_scalar(self, node: Node, column: int, limit: int) -> None:
        start, parts = self.row, list[str]()
        self.row += 1
        while self.row < len(self.lines):
            text = self.lines[self.row]
            if text.strip() and len(text) - len(text.lstrip(" ")) <= limit:
                break
            parts.append(text.strip())
            self.row += 1
        node.kind, node.text, node.quoted = Kind.SCALAR, "\n".join(parts), True
        node.at = At(start, column, self.row - 1, len(self.lines[self.row - 1]))


def _without_comment(text: str) -> str:
    match = _COMMENT.search(text)
    return (text[: match.start()] if match else text).rstrip()

"""Completion: keys that are not there yet, and values that fit."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lsprotocol import types

from clustergen.base import resources, secrets
from clustergen.base.patterns import pattern
from clustergen.checking import registry
from clustergen.editor import choices, fields
from clustergen.editor.choices import Asked, Value
from clustergen.editor.fields import Field
from clustergen.editor.outline import Node
from clustergen.editor.scanner import outline
from clustergen.editor.scope import File, Scope
from clustergen.editor.texts import At, Text
from clustergen.facts import catalog
from clustergen.facts.catalog import show

# Stands in the text where the cursor is. Specs cannot contain it.
_CURSOR = "\ue000"
_MOST = 200
"""The number of items to send at once; the client asks again with the next letter."""
_CODE = pattern(r"#\s*clustergen:\s*ignore(?:-file)?\[(?:[A-Z0-9]+\s*,\s*)*(?P<code>[A-Z0-9]*)$")


class _Word(NamedTuple):
    """What is typed before the cursor, the range of the whole word, and the quote that opens it."""

    text: str
    at: At
    quote: str = ""


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where something is to be completed."""

    text: Text
    word: _Word
    node: Node
    asked: Asked
    column: int | None
    """The column of keys, if an item may have several lines."""

    @property
    def quote(self) -> str:
        """The quotes that keys and words need: those of JSON, unless they are there."""
        is_json = self.text.content.lstrip("\ufeff \t\r\n").startswith("{")
        return '"' if is_json and not self.word.quote else ""


def complete(
    text: Text, position: types.Position, others: Sequence[File], *, lines: bool
) -> types.CompletionList:
    """What fits at a position. With ``lines``, items may have several lines."""
    line, column = text.position(position)
    before = text.lines[line][:column]
    if not text.content.strip():
        return _list(_presets(text), "")
    if match := _CODE.search(before):
        word = _Word(match["code"], At(line, match.start("code"), line, column))
        return _list(_codes(text, word), word.text)
    marked = [*text.lines]
    marked[line] = before + _CURSOR + text.lines[line][column:]
    for root in outline(marked):
        for node in root.walk():
            on_key = node.key_at is not None and _CURSOR in node.key
            if on_key or _CURSOR in node.text:
                cursor = _cursor(text, root, node, others, lines=lines)
                return _list((_keys if on_key else _values)(cursor), cursor.word.text)
    return types.CompletionList(False, [])


def _cursor(text: Text, root: Node, node: Node, others: Sequence[File], *, lines: bool) -> _Cursor:
    on_key = node.key_at if _CURSOR in node.key else None
    word = _word(node.key if on_key else node.text, on_key or node.at, text)
    path = node.parent.path() if on_key and node.parent else node.path()
    asked = Asked(path, root, Scope([File(text, [root]), *others]))
    return _Cursor(text, word, node, asked, node.column if lines and not node.flow else None)


def _word(marked: str, at: At, text: Text) -> _Word:
    """The word around the cursor, without the stand-in and without quotes."""
    written = text.lines[at.line][at.column : at.column + 1]
    quote = written if written in ("'", '"') else ""
    start = at.column + len(quote)
    end = start + len(marked) - len(_CURSOR)
    return _Word(marked.partition(_CURSOR)[0], At(at.line, start, at.line, end), quote)


def resolve(item: types.CompletionItem) -> types.CompletionItem:
    """The item with its documentation, where it is long: the facts of an instance type."""
    type = catalog.find(item.label)
    if type and not item.documentation:
        item.documentation = _markdown(f"```text\n{show.as_text(type)}\n```")
    return item


def _keys(cursor: _Cursor) -> Iterator[types.CompletionItem]:
    around, pending = cursor.node.parent, cursor.node.pending
    siblings = around.children if around else []
    there = {child.key for child in siblings if child is not cursor.node}
    for found in fields.keys(cursor.asked.path, cursor.asked.root):
        if found.name not in there:
            yield _key(found, cursor, colon=pending)
    for value in choices.keys(cursor.asked):
        if value.text not in there:
            yield _key_of_catalog(value, cursor, colon=pending)


def _key_of_catalog(value: Value, cursor: _Cursor, *, colon: bool = True) -> types.CompletionItem:
    new = f"{cursor.quote}{value.text}{cursor.quote}{': ' if colon else ''}"
    return _item(value, cursor.text, cursor.word.at, new, types.CompletionItemKind.Property)


def _key(
    found: Field, cursor: _Cursor, *, colon: bool = True, dash: str = ""
) -> types.CompletionItem:
    """A key, with the line where its section begins if items may have several lines."""
    column = cursor.column
    new = f"{dash}{cursor.quote}{found.name}{cursor.quote}"
    if colon:
        new += ":" + (" " if column is None else _section(found, column + len(dash)))
    if cursor.asked.path == ("targets",) and colon:
        new, column = f"{found.name}: {{}}", None  # most have no options
    return types.CompletionItem(
        label=found.name,
        kind=types.CompletionItemKind.Property,
        detail=("required: " if found.required else "") + fields.kind(found.schema),
        documentation=_markdown(fields.documentation(found)),
        text_edit=types.TextEdit(cursor.text.range(cursor.word.at), new),
        insert_text_mode=types.InsertTextMode.AsIs if column is not None else None,
        sort_text="0" if found.required else "1",
    )


def _section(found: Field, column: int) -> str:
    """What follows the colon: the next line of a section or a list, or a space."""
    below = "\n" + " " * (column + 2)
    if fields.is_only("object", found.schema):
        return below
    return f"{below}- " if fields.is_only("array", found.schema) else " "


def _values(cursor: _Cursor) -> Iterator[types.CompletionItem]:
    """The values of a field or an item; on a line of its own, also keys and items."""
    asked, node, quote = cursor.asked, cursor.node, cursor.quote
    wanted = cursor.word.text.lower()
    fitting = [value for value in choices.values(asked) if _is_like(value.text.lower(), wanted)]
    for value in fitting:
        yield _item(value, cursor.text, cursor.word.at, f"{quote}{value.text}{quote}")
    if node.bare:
        yield from (_key(found, cursor) for found in fields.keys(asked.path, asked.root))
        yield from (_key_of_catalog(value, cursor) for value in choices.keys(asked))
    for form in fields.forms(asked.path, asked.root):
        if form.get("type") == "array" and not node.quoted:
            yield from _items_of_list(cursor)
        elif form.get("type") == "object" and fitting and not node.bare and not quote:
            for name in form.get("properties", {}):
                yield _item(Value(f"{{{name}: }}"), cursor.text, cursor.word.at, f"{{{name}: }}")


def _items_of_list(cursor: _Cursor) -> Iterator[types.CompletionItem]:
    """The first item of a list: behind a dash on a line of its own, else in brackets."""
    inside = cursor.asked._replace(path=(*cursor.asked.path, 0))
    start, end = ("- ", "") if cursor.node.bare else ("[", "]")
    for value in choices.values(inside):
        yield _item(value, cursor.text, cursor.word.at, f"{start}{value.text}{end}")
    if cursor.node.bare:
        for found in fields.keys(inside.path, inside.root):
            yield _key(found, cursor, dash="- ")


def _item(
    value: Value,
    text: Text,
    at: At,
    new: str,
    kind: types.CompletionItemKind = types.CompletionItemKind.Value,
) -> types.CompletionItem:
    return types.CompletionItem(
        label=value.text,
        kind=kind,
        detail=value.detail or None,
        text_edit=types.TextEdit(text.range(at), new),
        sort_text=str(value.rank),
    )


def _codes(text: Text, word: _Word) -> Iterator[types.CompletionItem]:
    for rule in registry.by_code().values():
        kind = types.CompletionItemKind.Constant
        yield _item(Value(rule.code, rule.title), text, word.at, rule.code, kind)


def _presets(text: Text) -> Iterator[types.CompletionItem]:
    for name, file in resources.presets().items():
        content = file.read_text("utf-8")
        at, kind = text.end(), types.CompletionItemKind.File
        item = _item(Value(name, "a complete spec"), text, at, content, kind)
        item.documentation = _markdown(f"```yaml\n{content}```")
        yield item


def _list(items: Iterable[types.CompletionItem], word: str) -> types.CompletionList:
    """The items in their order, the best ones if there are too many."""
    wanted = word.lower()
    like = (item for item in items if _is_like(item.label.lower(), wanted))
    fitting = [item for item in like if secrets.without(item.label) == item.label]
    fitting.sort(key=lambda item: not item.label.lower().startswith(wanted))
    for index, item in enumerate(fitting[:_MOST]):
        rank = int(not item.label.lower().startswith(wanted))
        item.sort_text = f"{rank}{item.sort_text}{index:04}"
    return types.CompletionList(len(fitting) > _MOST, fitting[:_MOST])


def _is_like(label: str, word: str) -> bool:
    """Whether ``label`` has the letters of ``word``, in this order, as editors match them."""
    letters = iter(label)
    return all(letter in letters for letter in word)


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)

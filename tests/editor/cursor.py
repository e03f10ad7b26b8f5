"""Requests about a text with a mark where the cursor is."""

from collections.abc import Sequence
from typing import NamedTuple

from lsprotocol import types

from clustergen.editor import completion
from clustergen.editor.scanner import outline
from clustergen.editor.scope import File, Scope
from clustergen.editor.texts import Text

MARK = "█"


class Cursor(NamedTuple):
    """A text and a position in it."""

    text: Text
    position: types.Position

    @property
    def scope(self) -> Scope:
        return Scope([File(self.text, outline(self.text.lines))])


def marked(text: str, uri: str = "file:///a.yaml") -> Cursor:
    """The text without the mark, and where it was."""
    before, after = text.split(MARK)
    *above, line = before.split("\n")
    return Cursor(Text(uri, before + after), types.Position(len(above), len(line)))


def completions(
    text: str, others: Sequence[File] = (), *, lines: bool = True
) -> dict[str, types.CompletionItem]:
    """The items by label."""
    at = marked(text)
    found = completion.complete(at.text, at.position, others, lines=lines)
    return {item.label: item for item in found.items}


def completed(text: str, label: str, *, lines: bool = True) -> str:
    """The text after an item is chosen."""
    edit = completions(text, lines=lines)[label].text_edit
    assert isinstance(edit, types.TextEdit)
    change = types.TextDocumentContentChangePartial(edit.range, edit.new_text)
    return marked(text).text.changed([change], 1).content

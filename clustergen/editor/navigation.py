"""Definitions, references and new names of node groups and other named things; symbols."""

from collections.abc import Iterable

from lsprotocol import types

from clustergen.base import secrets
from clustergen.editor.outline import Kind, Node, node_at
from clustergen.editor.scope import Name, Place, Scope, name_at
from clustergen.editor.texts import At, Text


def definitions(text: Text, scope: Scope, position: types.Position) -> list[types.Location]:
    found = _named(text, scope, position)
    return _locations(scope.definitions(found[0], found[1].text)) if found else []


def references(
    text: Text, scope: Scope, position: types.Position, *, declaration: bool
) -> list[types.Location]:
    """Where the name at a position is used; with ``declaration``, also where it is defined."""
    found = _named(text, scope, position)
    if found is None:
        return []
    name, node = found
    places = scope.definitions(name, node.text) if declaration else []
    return _locations([*places, *scope.uses(name, node.text)])


def highlights(text: Text, scope: Scope, position: types.Position) -> list[types.DocumentHighlight]:
    """The same name elsewhere in this text."""
    mine = references(text, scope._replace(files=scope.files[:1]), position, declaration=True)
    return [types.DocumentHighlight(location.range) for location in mine]


def renamable(text: Text, scope: Scope, position: types.Position) -> types.Range | None:
    found = _named(text, scope, position)
    return text.range(_inside_quotes(found[1])) if found else None


def rename(
    text: Text, scope: Scope, position: types.Position, new: str
) -> types.WorkspaceEdit | None:
    """The edits that give the name at a position another name everywhere."""
    found = _named(text, scope, position)
    if found is None:
        return None
    name, node = found
    edits: dict[str, list[types.TextEdit]] = {}
    for place in (*scope.definitions(name, node.text), *scope.uses(name, node.text)):
        range = place.file.text.range(_inside_quotes(place.node))
        edits.setdefault(place.file.text.uri, []).append(types.TextEdit(range, new))
    return types.WorkspaceEdit(edits)


def symbols(text: Text, roots: Iterable[Node]) -> list[types.DocumentSymbol]:
    """The sections of a spec, with the items of its lists."""
    found = [*roots]
    known = frozenset(each.text for root in found for each in secrets.found(root.data()))
    return [symbol for root in found for symbol in _below(root, text, known)]


def _named(text: Text, scope: Scope, position: types.Position) -> tuple[Name, Node] | None:
    found = node_at(scope.files[0].roots, *text.position(position))
    if found is None or found[1]:
        return None
    name = name_at(found[0].path())
    return (name, found[0]) if name else None


def _locations(places: Iterable[Place]) -> list[types.Location]:
    return [
        types.Location(place.file.text.uri, place.file.text.range(place.node.at))
        for place in places
    ]


def _inside_quotes(node: Node) -> At:
    at = node.at
    if not node.quoted:
        return at
    return At(at.line, at.column + 1, at.end_line, at.end_column - 1)


_TITLES = ("name", "mount", "run", "key", "path", "id")
"""The keys by which an item of a list is known."""
_KINDS = {
    Kind.MAP: types.SymbolKind.Object,
    Kind.LIST: types.SymbolKind.Array,
    Kind.SCALAR: types.SymbolKind.Property,
    Kind.EMPTY: types.SymbolKind.Null,
}


def _below(node: Node, text: Text, known: frozenset[str]) -> list[types.DocumentSymbol]:
    return [_symbol(child, text, known) for child in node.children if not child.pending]


def _symbol(node: Node, text: Text, known: frozenset[str]) -> types.DocumentSymbol:
    extent = first_line = _extent(node)
    if extent.line != extent.end_line:
        first_line = At(*extent[:2], extent.line, len(text.lines[extent.line]))
    return types.DocumentSymbol(
        name=_shown(_title(node), known) or " ",
        detail=_shown(node.text, known) if node.key_at else None,
        kind=_KINDS[node.kind],
        range=text.range(extent),
        selection_range=text.range(node.key_at or first_line),
        children=_below(node, text, known),
    )


def _shown(text: str, known: frozenset[str]) -> str:
    """The first line of a text, with secrets masked."""
    return secrets.without(text, known).partition("\n")[0]


def _title(node: Node) -> str:
    if node.key_at:
        return node.key
    titles = (node.text_at(key) for key in _TITLES)
    index = node.parent.children.index(node) if node.parent else 0
    return next(filter(None, titles), "") or node.text or f"[{index}]"


def _extent(node: Node) -> At:
    """From the key or the first value to the end of the last one."""
    ranges = [at for each in node.walk() for at in (each.key_at, each.at) if at]
    start = min((at.line, at.column) for at in ranges)
    end = max((at.end_line, at.end_column) for at in ranges)
    return At(*start, *end)

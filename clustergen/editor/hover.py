"""Hover: facts of an instance type, documentation of a field or a code."""

from collections.abc import Iterator

from lsprotocol import types

from clustergen.base import documentation, secrets
from clustergen.base.patterns import pattern
from clustergen.checking import registry
from clustergen.editor import fields
from clustergen.editor.outline import Node, node_at
from clustergen.editor.scope import Scope, name_at
from clustergen.editor.texts import At, Text
from clustergen.facts import catalog
from clustergen.facts.catalog import show

_IGNORE = pattern(r"#\s*clustergen:\s*ignore(?:-file)?\[(?P<codes>[A-Z0-9, ]+)\]")
_CODE = pattern(r"[A-Z0-9]+")


def hover(text: Text, scope: Scope, position: types.Position) -> types.Hover | None:
    """The facts about the word at a position."""
    line, column = text.position(position)
    found = _code(text, line, column) or _node(scope, line, column)
    if found is None:
        return None
    markdown, at = found
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown), text.range(at))


def _code(text: Text, line: int, column: int) -> tuple[str, At] | None:
    """The rule of a code in an ignore comment."""
    comment = _IGNORE.search(text.lines[line])
    if comment is None:
        return None
    for match in _CODE.finditer(text.lines[line], *comment.span("codes")):
        rule = registry.by_code().get(match[0])
        if rule and match.start() <= column <= match.end():
            at = At(line, match.start(), line, match.end())
            page = documentation.help_uri(rule)
            link = f"\n\n[{page}]({page})" if page else ""
            return f"**{rule.code}**: {rule.title}\n\n{rule.why}{link}", at
    return None


def _node(scope: Scope, line: int, column: int) -> tuple[str, At] | None:
    found = node_at(scope.files[0].roots, line, column)
    if found is None:
        return None
    node, on_key = found
    root = next(each for each in scope.files[0].roots if node in each.walk())
    parts = list(_about(node, root, scope, on_key=on_key))
    at = node.key_at if on_key else node.at
    return ("\n\n".join(parts), at) if parts and at else None


def _about(node: Node, root: Node, scope: Scope, *, on_key: bool) -> Iterator[str]:
    path = node.path()
    if not on_key:
        if type := catalog.find(node.text):
            yield f"```text\n{show.as_text(type)}\n```"
        elif name := name_at(path):
            for place in scope.definitions(name, node.text):
                yield f"{name.title} `{secrets.without(node.text)}`{_summary(place.node)}"
    if field := fields.field(path, root):
        yield f"`{field.name}`: {fields.documentation(field)}"


def _summary(node: Node) -> str:
    around = node.parent.children if node.parent else []
    texts = [f"{child.key}: {child.text}" for child in around if child.text and child is not node]
    facts = list(secrets.hidden(texts))
    return f"\n\n```yaml\n{chr(10).join(facts)}\n```" if facts else ""

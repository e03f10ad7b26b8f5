"""Definitions, references, new names, symbols and hover."""

from typing import Any

import pytest
from lsprotocol import types

from clustergen.editor import hover, navigation
from clustergen.editor.scanner import outline
from clustergen.editor.scope import File, Scope
from clustergen.editor.texts import Text
from tests.editor.client import Client
from tests.editor.cursor import MARK, marked

SPEC = """\
version: 1
name: a
region: us-east-1
network: {zone: use1-az6}  # clustergen: ignore[NET013, K8S531] because
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - name: "cpu"
    instance_type: m7i.large
    count: 1
queues:
  - {name: train, node_groups: [h200, cpu]}
software:
  scripts:
    - {run: "s3://b/a.sh", node_groups: [h200]}
users: [{name: ada, uid: 2000}]
slurm:
  qos: [{name: high}, {name: low, preempts: [high]}]
  accounts:
    - {name: all, users: [ada], qos: [high]}
    - {name: part, parent: all}
kubernetes: {access: [{principal: x, queues: [train]}]}
"""


def at(place: str) -> str:
    """The spec with the mark at a unique place."""
    plain = place.replace(MARK, "")
    assert SPEC.count(plain) == 1, plain
    return SPEC.replace(plain, place)


def words(text: Text, ranges: list[types.Range]) -> list[str]:
    """Line and text of each range."""
    found = []
    for range in ranges:
        (line, start), (_, end) = text.position(range.start), text.position(range.end)
        found.append(f"{line}:{text.lines[line][start:end]}")
    return found


DEFINED = {
    "node_groups: [h2█00, cpu]": ["5:h200"],
    "node_groups: [h200, █cpu]": ['6:"cpu"'],
    'a.sh", node_groups: [h200█]': ["5:h200"],
    "{name: h20█0,": ["5:h200"],
    "parent: al█l": ["18:all"],
    "qos: [hig█h]}": ["16:high"],
    "preempts: [hi█gh]": ["16:high"],
    "users: [ad█a]": ["14:ada"],
    "queues: [trai█n]": ["10:train"],
    "instance_type: m7i█.large": [],
    "\nque█ues:": [],
}


@pytest.mark.parametrize("place", DEFINED)
def test_definitions(place: str) -> None:
    text, position = marked(at(place))
    found = navigation.definitions(text, marked(at(place)).scope, position)
    assert words(text, [location.range for location in found]) == DEFINED[place]


def test_references() -> None:
    cursor = marked(at("{name: h20█0,"))
    found = navigation.references(cursor.text, cursor.scope, cursor.position, declaration=True)
    assert words(cursor.text, [f.range for f in found]) == ["5:h200", "10:h200", "13:h200"]
    used = navigation.references(cursor.text, cursor.scope, cursor.position, declaration=False)
    assert len(used) == 2


def test_a_new_name_in_all_files() -> None:
    """In an overlay, the name selects the node group, so it changes with it."""
    over = Text("file:///over.yaml", "node_groups: [{name: cpu, count: 5}]\n")
    cursor = marked(at("node_groups: [h200, █cpu]"))
    scope = cursor.scope._replace(files=[*cursor.scope.files, File(over, outline(over.lines))])
    edit = navigation.rename(cursor.text, scope, cursor.position, "cores")
    assert edit
    assert edit.changes
    changed = {}
    for text in (cursor.text, over):
        edits = sorted(edit.changes[text.uri], key=lambda e: e.range.start.line, reverse=True)
        parts = [types.TextDocumentContentChangePartial(e.range, e.new_text) for e in edits]
        changed[text.uri] = text.changed(parts, 1).content
    assert changed[over.uri] == over.content.replace("cpu", "cores")
    assert changed[cursor.text.uri] == SPEC.replace("cpu", "cores")
    assert navigation.renamable(*_of(at("instance_type: m7i█.large"))) is None
    assert navigation.renamable(*_of(at('name: "cp█u"'))) == types.Range(
        types.Position(6, 11), types.Position(6, 14)
    )


def _of(text: str) -> tuple[Text, Scope, types.Position]:
    cursor = marked(text)
    return cursor.text, cursor.scope, cursor.position


HOVER = {
    "instance_type: p5en█.48": ["8 x NVIDIA H200", "16 interfaces"],
    "instance█_type: p5en": ["EC2 instance type"],
    "re█gion": ["AWS region", "required"],
    "region: us-█east": ["AWS region"],
    "node_groups: [h2█00, cpu]": ["node group `h200`", "instance_type: p5en.48xlarge"],
    "ignore[NET█013": ["NET013", "https://"],
    "NET013, K8S53█1": ["K8S531"],
    "qos: [{na█me: high": ["Name."],
}


@pytest.mark.parametrize("place", HOVER)
def test_hover(place: str) -> None:
    cursor = marked(at(place))
    found = hover.hover(cursor.text, cursor.scope, cursor.position)
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    for words in HOVER[place]:
        assert words in found.contents.value


@pytest.mark.parametrize("place", ["version: 1█\n", "be█cause", ' █ - name: "cpu"'])
def test_hover_says_nothing_elsewhere(place: str) -> None:
    cursor = marked(at(place))
    found = hover.hover(cursor.text, cursor.scope, cursor.position)
    assert found is None or place == "version: 1█\n"


def test_symbols() -> None:
    text = Text("", SPEC)
    found = navigation.symbols(text, outline(text.lines))
    assert [symbol.name for symbol in found][:5] == [
        *("version", "name", "region", "network", "node_groups")
    ]
    groups = found[4]
    assert [child.name for child in groups.children or []] == ["h200", "cpu"]
    assert groups.range.end.line == 8
    _inside(found)


def _inside(symbols: list[types.DocumentSymbol]) -> None:
    """Clients reject symbols whose name is not within their range."""
    for symbol in symbols:
        whole, name = symbol.range, symbol.selection_range
        assert (whole.start.line, whole.start.character) <= (name.start.line, name.start.character)
        assert (name.end.line, name.end.character) <= (whole.end.line, whole.end.character)
        _inside(list(symbol.children or ()))


def test_over_the_protocol(client: Client) -> None:
    client.open("navigate.yaml", SPEC)
    params: Any
    at = client.at("navigate.yaml", 10, SPEC.split("\n")[10].index("cpu"))
    found = client.request(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(**at))
    assert [location.range.start.line for location in found] == [6]
    shown = client.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(**at))
    assert "m7i.large" in shown.contents.value
    context = types.ReferenceContext(include_declaration=True)
    params = types.ReferenceParams(context=context, **at)
    assert len(client.request(types.TEXT_DOCUMENT_REFERENCES, params)) == 2
    params = types.DocumentHighlightParams(**at)
    assert len(client.request(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, params)) == 2
    params = types.RenameParams(new_name="cores", **at)
    edits = client.request(types.TEXT_DOCUMENT_RENAME, params).changes
    assert len(edits[client.uri("navigate.yaml")]) == 2
    assert client.request(types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams(**at))
    document = types.TextDocumentIdentifier(client.uri("navigate.yaml"))
    params = types.DocumentSymbolParams(document)
    assert len(client.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)) == 10

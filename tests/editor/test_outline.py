"""The outline of a text against the parser that specs are read with, and of texts it rejects."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from clustergen.base.findings import Path as SpecPath
from clustergen.editor.outline import Kind, Node
from clustergen.editor.scanner import outline
from clustergen.editor.texts import Text
from clustergen.spec.source import limits, nodes
from clustergen.spec.source.reading import read_text

FILES = [
    *sorted(Path("specs").glob("*.yaml")),
    *sorted(Path("templates/presets").glob("*.yaml")),
    Path("docs/every-field.yaml"),
]
UNUSUAL = """\
# a comment
"quoted: key": 'it''s'
list:
- a   # behind
-   - nested
    - {flow: [1, "x, y", {deep: }], open: }
- name: item
  text: |
    not: a key
  # between
  next: 2
later:
    over
words: two words
"""


def read(text: str) -> list[Node]:
    return outline(Text("", text).lines)


def differences(parsed: nodes.Node, found: Node, path: SpecPath = ()) -> Iterator[object]:
    """Where the outline has another value, or another position."""
    if isinstance(parsed.value, dict):
        if found.kind is not Kind.MAP or found.keys() != list(parsed.value):
            yield path, found.keys()
            return
        for key, child in parsed.value.items():
            mine = found.child(key)
            assert mine
            if mine.key_at != (child.key and child.key[1:]):
                yield path, key, mine.key_at
            yield from differences(child, mine, (*path, key))
    elif isinstance(parsed.value, tuple):
        if len(found.children) != len(parsed.value):
            yield path, found.kind
            return
        for index, child in enumerate(parsed.value):
            yield from differences(child, found.children[index], (*path, index))
    elif found.text.count("\n") or (isinstance(parsed.value, str) and "\n" in parsed.value):
        pass  # a block of text, of which only the extent matters
    elif found.data() != parsed.value:
        yield path, found.data()
    elif parsed.value is not None and found.at != parsed.at[1:]:
        yield path, found.at


@pytest.mark.parametrize("text", [*(file.read_text("utf-8") for file in FILES), UNUSUAL])
def test_it_is_what_the_parser_reads(text: str) -> None:
    document, _ = read_text(text)
    assert document
    assert list(differences(document.root, read(text)[0])) == []
    windows = text.replace("\n", "\r\n")
    assert read(windows)[0].data() == read(text)[0].data()


OPEN = {
    "network:\n  zo\n  vpc: new": {"network": {"vpc": "new"}},
    "groups: [{name: a, type: \nqueues: []": {
        "groups": [{"name": "a", "type": None}],
        "queues": [],
    },
    "name: 'x\nregion: y": {"name": "x", "region": "y"},
    "a: {b: 1\nc: 2": {"a": {"b": 1}, "c": 2},
    "list:\n  -\n  - b\n -": {"list": [None, "b", None]},
    "a:\n    b: 1\n  c: 2": {"a": {"b": 1, "c": 2}},
    '{"a": [1, {"b": 2': {"a": [1, {"b": 2}]},
    "a: 1\n---\nb: 2": {"a": 1},
    "": None,
}


@pytest.mark.parametrize("text", OPEN)
def test_incomplete_texts(text: str) -> None:
    assert read(text)[0].data() == OPEN[text]


@pytest.mark.parametrize(
    "text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "\n".join(" " * n + "a:" for n in range(1200))]
)
def test_deep_texts(text: str) -> None:
    """The parser stops at some depth, and nothing recurses deeper."""
    nodes = list(read(text)[0].walk())
    assert max(len(node.path()) for node in nodes) in (limits.DEPTH, limits.DEPTH + 1)


def test_nothing_makes_it_fail() -> None:
    chance = random.Random(1)
    parts = [*"{}[]:,-#'\"|>&*! \n\t\r\x0c\u2028😀", "- ", ": ", "---\n"]
    for file in FILES[::3]:
        text = file.read_text("utf-8")
        for _ in range(20):
            at = chance.randrange(len(text))
            cut = text[:at] + chance.choice(parts) + text[at + chance.randrange(20) :]
            assert "".join(Text("", cut).ended) == cut
            for node in [node for root in read(cut) for node in root.walk()]:
                assert node.at.line <= node.at.end_line
                node.path()

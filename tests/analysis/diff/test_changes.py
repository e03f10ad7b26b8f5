"""The fields in which two specs differ."""

import pytest

from clustergen.analysis.diff.changes import applied, changes
from clustergen.spec import source
from clustergen.spec.source.nodes import Node, plain


def root(text: str) -> Node:
    document, _ = source.read_text(text)
    assert document
    return document.root


GROUPS = "node_groups: [{name: a, count: 2}, {name: b, count: 3}]"
CHANGES = [
    ("a: 1", "a: 1", []),
    ("a: 1", "a: 2", ["a"]),
    ("a: {b: 1, c: 2}", "a: {b: 1, c: 3}", ["a.c"]),
    ("a: {b: 1}", "a: 1", ["a"]),
    ("a: 1", "a: 1\nb: 2", ["b"]),
    ("a: 1\nb: {c: 2}", "a: 1", ["b"]),
    ("a: [1, 2]", "a: [1, 3]", ["a"]),
    (GROUPS, GROUPS.replace("3", "4"), ["node_groups[b].count"]),
    (GROUPS, GROUPS.replace("name: b", "name: c"), ["node_groups[b]", "node_groups[c]"]),
    (GROUPS, "node_groups: [{name: b, count: 3}, {name: a, count: 2}]", ["node_groups"]),
    ("s: [{mount: /x, size: 1}]", "s: [{mount: /x, size: 2}]", ["s[/x].size"]),
]


@pytest.mark.parametrize(("old", "new", "paths"), CHANGES)
def test_paths(old: str, new: str, paths: list[str]) -> None:
    assert [each.dotted for each in changes(root(old), root(new))] == paths


@pytest.mark.parametrize(("old", "new", "paths"), CHANGES)
def test_all_changes_together_make_the_new_spec(old: str, new: str, paths: list[str]) -> None:
    made = root(old)
    for change in changes(root(old), root(new)):
        made = applied(made, change.path, change.new)
    assert plain(made) == plain(root(new))


def test_positions() -> None:
    old, new = root("a: 1\nb: 2\n"), root("a: 1\n\nb: 3\n")
    [change] = changes(old, new)
    assert change.span is not None
    assert change.span.line == 3

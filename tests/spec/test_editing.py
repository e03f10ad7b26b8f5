"""Edits of a text: the data change as asked, and everything else stays as it was."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen.base.findings import Change, Edit, Fix, Path, drop, put, rename
from clustergen.base.text_lists import words
from clustergen.spec.source import Document, read, read_text
from clustergen.spec.source.editing import apply
from tests.support.tiers import share

SPEC = """\
# the head
version: 1
name: llm   # its name
network:
  zone: use1-az6 # where
node_groups:
  - name: h200
    count: 16   # many
    # about EFA
    efa: 3
  - {name: "cpu", count: 2}  # cheap
  - name: only
queues: []
login:
storage: [
  {mount: /a, size: 3},   # first
  {mount: /b, size: 4},   # second
  {mount: /c, size: 5}    # third
]
text: |
  some
   lines
last: 'it''s # 1'
"""


def document(text: str) -> Document:
    found, _ = read_text(text, "a.yaml")
    assert found is not None
    return found


def edited(text: str, *changes: Change) -> str:
    """The text after the edits; the same text if there are none."""
    return apply(text, document(text).edits(Fix(changes)))


def difference(before: str, after: str) -> list[str]:
    """The lines that went (`-`) and that came (`+`)."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return [f"-{line}" for line in old] + [f"+{line}" for line in new]


H200, MANY = "-  - name: h200", "-    count: 16   # many"
CHEAP = '-  - {name: "cpu", count: 2}  # cheap'
SECOND, THIRD = "-  {mount: /b, size: 4},   # second", "-  {mount: /c, size: 5}    # third"
CASES: list[tuple[Change, list[str]]] = [
    (put(("name",), "x y"), ["-name: llm   # its name", "+name: x y   # its name"]),
    (put(("name",), "true"), ["-name: llm   # its name", '+name: "true"   # its name']),
    (put(("name",), 5), ["-name: llm   # its name", "+name: 5   # its name"]),
    (put(("last",), "isn't"), ["-last: 'it''s # 1'", "+last: 'isn''t'"]),
    (put(("text",), "one"), ["-text: |", "-  some", "-   lines", "+text: one"]),
    (put(("node_groups", 1, "name"), 'a"b'), [CHEAP, r'+  - {name: "a\"b", count: 2}  # cheap']),
    (put(("login", "count"), 2), ["-login:", "+login: {count: 2}"]),
    (put(("queues", 0), "a, b"), ["-queues: []", '+queues: ["a, b"]']),
    (put(("network", "vpc"), "new"), ["+  vpc: new"]),
    (put(("slurm", "settings", "A"), 1), ["+slurm: {settings: {A: 1}}"]),
    (put(("spec",), 1, first=True), ["+spec: 1"]),
    (put(("node_groups", 0, "a"), None, first=True), [H200, "+  - a: null", "+    name: h200"]),
    (put(("node_groups", 3), {"name": "z"}), ["+  - {name: z}"]),
    (
        put(("storage", 3), {"mount": "/d"}),
        [THIRD, "+  {mount: /c, size: 5},    # third", "+  {mount: /d}"],
    ),
    (
        put(("node_groups", 1), {"name": "cpu", "efa": [1]}),
        [CHEAP, '+  - {name: "cpu", efa: [1]}  # cheap'],
    ),
    (rename(("network", "zone"), "az"), ["-  zone: use1-az6 # where", "+  az: use1-az6 # where"]),
    (drop(("version",)), ["-version: 1"]),
    (drop(("login",)), ["-login:"]),
    (drop(("text",)), ["-text: |", "-  some", "-   lines"]),
    (drop(("last",)), ["-last: 'it''s # 1'"]),
    (drop(("network", "zone")), ["-network:", "-  zone: use1-az6 # where", "+network: {} # where"]),
    (drop(("node_groups", 0, "count")), [MANY, "+    # many"]),
    (drop(("node_groups", 0, "name")), [H200, MANY, "+  - count: 16   # many"]),
    (
        drop(("node_groups", 0)),
        [H200, MANY, "-    # about EFA", "-    efa: 3", "+  # many", "+  # about EFA"],
    ),
    (drop(("node_groups", 2, "name")), ["-  - name: only", "+  - {}"]),
    (drop(("node_groups", 2)), ["-  - name: only"]),
    (drop(("node_groups", 1, "name")), [CHEAP, "+  - {count: 2}  # cheap"]),
    (drop(("storage", 0)), ["-  {mount: /a, size: 3},   # first", "+  # first"]),
    (drop(("storage", 2)), [SECOND, THIRD, "+  {mount: /b, size: 4}   # second", "+  # third"]),
]


@pytest.mark.parametrize(("change", "lines"), CASES)
def test_a_change_of_a_spec(change: Change, lines: list[str]) -> None:
    assert difference(SPEC, edited(SPEC, change)) == lines


JSON = '{\n  "a": 1,\n  "b": {"c": "d"},\n  "l": [1, 2]\n}\n'


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (put(("z",), "q"), ['-  "l": [1, 2]', '+  "l": [1, 2],', '+  "z": "q"']),
        (
            put(("b", "e"), {"f": None}),
            ['-  "b": {"c": "d"},', '+  "b": {"c": "d", "e": {"f": null}},'],
        ),
        (drop(("a",)), ['-  "a": 1,']),
        (drop(("l",)), ['-  "b": {"c": "d"},', '-  "l": [1, 2]', '+  "b": {"c": "d"}']),
        (drop(("l", 0)), ['-  "l": [1, 2]', '+  "l": [2]']),
        (drop(("b", "c")), ['-  "b": {"c": "d"},', '+  "b": {},']),
        (rename(("b",), "bb"), ['-  "b": {"c": "d"},', '+  "bb": {"c": "d"},']),
    ],
)
def test_json_stays_json(change: Change, lines: list[str]) -> None:
    assert difference(JSON, edited(JSON, change)) == lines


def test_several_changes_of_one_fix() -> None:
    changed = edited(JSON, put(("b", "e"), 2), put(("b", "f"), 3), drop(("a",)))
    assert changed == '{\n  "b": {"c": "d", "e": 2, "f": 3},\n  "l": [1, 2]\n}\n'
    # Each of these would take the comma between them.
    [edit] = document("a: {b: 1, c: 2}\n").edits(Fix((drop(("a", "b")), drop(("a", "c")))))
    assert (edit.column, edit.end_column, edit.text) == (4, 14, "")


ANCHORS = "a: &x {b: 1}\nc: *x\nd: &y 3\ne: 4\n"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (ANCHORS, put(("a", "b"), 2)),
        (ANCHORS, put(("c", "b"), 2)),
        (ANCHORS, put(("c",), 2)),
        (ANCHORS, put(("d",), 2)),
        (ANCHORS, rename(("a",), "c")),
        ("a: &x {b: 1}\nc: {<<: *x}\nd: 1\n", put(("d",), 2)),
        ("a: !!str 1\n", put(("a",), 2)),
        ("a: 1\nb: 2\n", rename(("a",), "b")),
        ("a: 1\n", put(("a", "b"), 2)),
        ("a: [1]\n", put(("a", 3), 2)),
        ("a:\n  b: 1 # why\n  c: 2\n", put(("a",), 2)),
        ("a: 1\n", drop(())),
        ("a: 1\n", drop(("b",))),
        ("a: 1\n", rename(("b",), "c")),
        ("? a\n: 1\n? b\n: 2\n", drop(("b",))),
    ],
)
def test_without_a_clear_place_there_is_no_edit(text: str, change: Change) -> None:
    assert document(text).edits(Fix((change,))) == ()


def test_a_value_from_the_command_line_has_no_edit(tmp_path: Any) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: {b: 1}\n")
    found, _ = read([file], ["a.c=2", "d=3"])
    assert found is not None
    assert found.edits(Fix((put(("a", "c"), 1),))) == ()
    assert found.edits(Fix((put(("d",), 1),))) == ()
    assert len(found.edits(Fix((put(("a", "b"), 2),)))) == 1


def test_a_value_is_edited_in_the_file_that_gives_it(tmp_path: Any) -> None:
    base, over = tmp_path / "base.yaml", tmp_path / "over.yaml"
    base.write_text("groups:\n- name: a\n  n: 1\n- name: b\n  n: 2\n")
    over.write_text("groups: [{name: b, m: 3}]\n")
    found, _ = read([base, over])
    assert found is not None
    assert found.edits(Fix((put(("groups", 1, "n"), 5),))) == (Edit(str(base), 4, 5, 4, 6, "5"),)
    assert found.edits(Fix((put(("groups", 1, "m"), 5),))) == (Edit(str(over), 0, 22, 0, 23, "5"),)
    assert found.edits(Fix((drop(("groups", 0)),)))[0].file == str(base)


# -- random texts -------------------------------------------------------------------------------

_TEXTS = ["", "x y", "a: b", "a #b", "- a", "it's", 'q"q', *words("a 5 true #c é日 [ k, ~")]
SCALARS = st.one_of(st.integers(-5, 99), st.booleans(), st.none(), st.sampled_from(_TEXTS))
KEYS = st.sampled_from(["a", "b", "name", "long-key", "true", "9", "k: v", "é"])
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


class Writer:
    """Writes data as YAML, and draws how."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.comments = 0

    def text(self, value: dict[str, Any]) -> str:
        return "".join(self.block(value, 0))

    def comment(self) -> str:
        if self.draw(st.integers(0, 3)):
            return ""
        self.comments += 1
        return f" # {self.comments}, [it's] {{a: b"

    def block(self, value: Any, depth: int) -> Iterator[str]:
        entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        for key, item in entries:
            if comment := self.comment():
                yield " " * depth + comment.lstrip() + "\n"
            head = " " * depth + ("-" if key is None else f"{self.scalar(key)}:")
            if isinstance(item, dict | list) and item and self.draw(st.booleans()):
                yield f"{head}{self.comment()}\n"
                yield from self.block(item, depth + self.draw(st.integers(1, 3)))
            else:
                yield f"{head} {self.flow(item, depth + 4)}{self.comment()}\n"

    def flow(self, value: Any, depth: int) -> str:
        if not isinstance(value, dict | list):
            return self.scalar(value)
        left, right = "{}" if isinstance(value, dict) else "[]"
        entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        texts = [
            self.flow(item, depth + 2)
            if key is None
            else f"{self.scalar(key)}: {self.flow(item, depth + 2)}"
            for key, item in entries
        ]
        if not texts or self.draw(st.booleans()):
            return left + ", ".join(texts) + right
        pad = "\n" + " " * depth
        last = len(texts) - 1
        lines = [
            f"{pad}{text}{',' if n < last else ''}{self.comment()}" for n, text in enumerate(texts)
        ]
        return f"{left}{''.join(lines)}{pad}{right}"

    def scalar(self, value: Any) -> str:
        if not isinstance(value, str):
            return {None: "null", True: "true", False: "false"}.get(value, str(value))
        if re.fullmatch("[a-z][a-z-]*", value) and value not in ("true", "false", "null"):
            return value if self.draw(st.booleans()) else f'"{value}"'
        if '"' in value or self.draw(st.booleans()):
            return "'" + value.replace("'", "''") + "'"
        return f'"{value}"'


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for step, item in entries:
        yield (*at, step)
        if isinstance(item, dict | list):
            yield from paths(item, (*at, step))


def wanted(value: Any, change: Change) -> Any:
    """The data that the edited text must hold."""
    copy = read_text(json.dumps(value))[0].data  # type: ignore[union-attr]
    *above, last = change.path
    inside = copy
    for step in above:
        inside = inside[step]
    if change.kind == "put" and isinstance(inside, list) and last == len(inside):
        inside.append(change.value)
    elif change.kind == "put":
        inside[last] = change.value
    elif change.kind == "drop":
        del inside[last]
    else:
        inside[change.value] = inside.pop(last)
    return copy


@st.composite
def texts_and_changes(draw: Any) -> tuple[str, dict[str, Any], Change]:
    tree = draw(st.dictionaries(KEYS, TREES, min_size=1, max_size=4))
    text = Writer(draw).text(tree)
    path = draw(st.sampled_from([*paths(tree)]))
    kind = draw(st.sampled_from(["put", "drop", "rename", "insert"]))
    inside: Any = tree
    for step in path[:-1]:
        inside = inside[step]
    if kind == "insert":
        new = len(inside) if isinstance(inside, list) else "new"
        return text, tree, put((*path[:-1], new), draw(TREES))
    if kind == "rename" and isinstance(inside, dict):
        return text, tree, rename(path, draw(st.sampled_from(["new", "new key", "null"])))
    return text, tree, drop(path) if kind == "drop" else put(path, draw(SCALARS))


@given(
    texts_and_changes(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "---\nsecond: [document] # kept\n"]),
    st.sampled_from(["", "# head\n", "%YAML 1.2\n---\n"]),
    st.booleans(),
)
@settings(max_examples=share(600))
def test_random_texts(
    case: tuple[str, dict[str, Any], Change], line_break: str, rest: str, head: str, ends: bool
) -> None:
    text, tree, change = case
    text = (head + text + rest).replace("\n", line_break)
    text = text if ends else text.removesuffix(line_break)
    fixes = document(text).edits(Fix((change,)))
    changed = apply(text, fixes)
    if not fixes:
        return
    assert document(changed).data == wanted(tree, change)
    assert re.findall(r"# \d+, \[it's\] \{a: b", changed) == re.findall(
        r"# \d+, \[it's\] \{a: b", text
    )
    assert changed.startswith(head.replace("\n", line_break))
    kept = rest.replace("\n", line_break)
    assert changed.endswith(kept if ends else kept.removesuffix(line_break))
    if line_break in text:  # one line alone has no line end to follow
        assert set(re.findall(r"\r\n|\n|\r", changed)) <= {line_break}

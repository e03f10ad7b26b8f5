"""Findings in the editor, over the real protocol."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

import clustergen
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.cli import main
from clustergen.editor import checking
from clustergen.editor.texts import Text
from tests.editor.client import Client
from tests.support.tiers import share

SPEC = EXAMPLE_BASE.replace("count: 2", "count: 1") + "targets: {pcs: {}}\n"


def places(found: list[types.Diagnostic]) -> list[tuple[str, int, int, int]]:
    """Code, line, first and last column."""
    return [
        (str(d.code), d.range.start.line, d.range.start.character, d.range.end.character)
        for d in found
    ]


def text_under(text: str, found: types.Diagnostic) -> str:
    line = text.split("\n")[found.range.start.line].encode("utf-16-le")
    start, end = found.range.start.character, found.range.end.character
    return line[2 * start : 2 * end].decode("utf-16-le")


def test_findings_are_those_of_check(client: Client) -> None:
    text = Path("specs/p5-on-demand.yaml").read_text(encoding="utf-8")
    found = client.open("a.yaml", text)
    checked = {(f.code, f.span.line - 1) for f in clustergen.check_text(text).findings if f.span}
    assert {(d.code, d.range.start.line) for d in found} == checked
    assert {d.severity for d in found} == {
        types.DiagnosticSeverity.Warning,
        types.DiagnosticSeverity.Information,
    }
    assert all(d.source == "clustergen" and "\nhelp: " in d.message for d in found)
    links = [d.code_description.href for d in found if d.code_description]
    assert links
    assert all(link.startswith("https://") and "\n" not in link for link in links)


def test_a_keystroke_changes_the_findings(client: Client) -> None:
    assert client.open("b.yaml", SPEC) == []
    start = SPEC.split("\n")[5].index("p5en")
    end = start + len("p5en.48xla")
    typed = client.change("b.yaml", ((5, end), (5, end + 2), ""), ((5, end), (5, end + 1), ""))
    assert places(typed) == [("CAP001", 5, start, end)]
    assert client.change("b.yaml", ((5, end), (5, end), "rge")) == []


@pytest.mark.parametrize(
    ("text", "code", "under"),
    [
        ("version: 1\nregion: us-east-1\nnode_groups: [\n", "SPC002", "["),
        ("version: 1\nregion: 'us-east-1\n", "SPC002", "'"),
        ("version: 1\nregion: us-east-1\n\tname: x\n", "SPC002", "\t"),
        (SPEC + "---\nversion: 1\n", "SPC008", "---"),
        (SPEC.replace("name: example", "name: 😀x"), "SPC024", "😀x"),
        (SPEC.replace("{name: h200,", "{labels: {a: 😀😀}, name: H_200,"), "LIM001", "H_200"),
        (SPEC.replace("\n", "\r\n").replace("count: 1", "count: x"), "SPC024", "x"),
        (SPEC.replace("us-east-1", "us-east-1 # \x0c"), "SPC013", "\x0c"),
    ],
    ids=["bracket", "quote", "tab", "documents", "emoji", "behind-emoji", "crlf", "form-feed"],
)
def test_unusual_texts(client: Client, text: str, code: str, under: str) -> None:
    found = client.open("unusual.yaml", text)
    assert (code, under) in [(d.code, text_under(text, d)) for d in found]


def test_an_edit_behind_an_emoji(client: Client) -> None:
    text = SPEC.replace("{name: h200,", "{labels: {a: 😀}, name: h200,")
    client.open("c.yaml", text)
    column = text.split("\n")[5].index("h200") + 1  # the emoji counts twice
    found = client.change("c.yaml", ((5, column), (5, column + 4), "H_200"))
    assert ("LIM001", 5, column, column + 5) in places(found)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_edits_at_the_end(client: Client, end: str) -> None:
    client.open("end.yaml", SPEC.replace("\n", end))
    found = client.change("end.yaml", ((7, 0), (7, 0), "x: 1"), ((7, 4), (99, 0), f"{end}y: 1"))
    assert places(found)[:2] == [("SPC020", 7, 0, 1), ("SPC020", 8, 0, 1)]


SPECS = {
    SPEC: True,
    SPEC.replace("version: 1\n", ""): True,
    SPEC.replace("version: 1", "version: 2"): True,
    "version: 1\n": True,
    "version: 1 # first\nname: [": True,
    "version: 1\nregion: us-east-1\nnodegroups:\n": True,
    '{"version": 1, "region": "us-east-1"}': True,
    "# yaml-language-server: $schema=./clustergen.schema.json\n": True,
    "": False,
    "name: ci\non: [push]\njobs: {}\n": False,
    "version: '3'\nservices: {a: {image: b}}\nnetworks: {}\n": False,
    "version: 1\nformatters: {}\nhandlers: {}\n": False,
    "version: 2\nupdates: []\n": False,
    "apiVersion: v1\nkind: ConfigMap\n": False,
    "Region: us-east-1\nScheduling: {}\n": False,
    "- version: 1\n": False,
    "# see clustergen.schema.json\nrepos: []\n": False,
}


@pytest.mark.parametrize("text", SPECS)
def test_which_files_are_specs(text: str) -> None:
    assert checking.is_spec(text, checking.Context()) is SPECS[text]


def test_other_files_have_no_findings(client: Client) -> None:
    assert client.open("compose.yaml", "version: '3'\nservices: {a: {image: b}}\n") == []
    assert client.open("empty.yaml", "") == []
    named = "# yaml-language-server: $schema=clustergen.schema.json\n"
    assert [d.code for d in client.open("named.yaml", named)] == ["SPC011"]


def test_closed_and_opened_again(client: Client) -> None:
    wrong = SPEC.replace("p5en", "p5xx")
    assert client.open("d.yaml", wrong)
    assert client.close("d.yaml") == []
    assert [d.code for d in client.open("d.yaml", wrong)] == ["CAP001"]
    assert client.change("d.yaml", SPEC) == []


def test_many_keystrokes_end_with_the_last(client: Client) -> None:
    client.open("e.yaml", SPEC)
    for _ in range(30):
        client.change("e.yaml", ((7, 0), (7, 0), "x: 1\n"), wait=False)
    assert client.change("e.yaml", SPEC) == []


def test_ignore_comments(client: Client) -> None:
    text = SPEC + "network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}\n"
    text = text.replace("network: {zone: use1-az6}\n", "")
    codes = [str(d.code) for d in client.open("f.yaml", text)]
    comment = f"  # clustergen: ignore[{','.join(sorted(set(codes)))}] because of a firewall\n"
    assert codes
    assert client.open("f.yaml", text.removesuffix("\n") + comment) == []


BASE = """\
version: 1
name: shared
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 1}]
"""
PROJECT = """\
[ignore]
SUP002 = "known"

[clusters.prod]
files = ["team/base.yaml", "team/prod.yaml"]
set = ["tags.stage=prod"]
targets = ["pcs"]
"""


def test_the_project_file(client: Client) -> None:
    folder = client.folder / "team"
    folder.mkdir()
    (client.folder / "clustergen.toml").write_text(PROJECT, encoding="utf-8")
    (folder / "base.yaml").write_text(BASE, encoding="utf-8")
    overlay = "node_groups: [{name: h200, count: 0, capacity: {capacity_block: cr-1}}]\n"
    try:
        found = client.open("team/prod.yaml", overlay)
        assert [d.code for d in found if d.severity == types.DiagnosticSeverity.Error] == ["SPC024"]
        # A change in the open base is seen in the overlay, before it is saved.
        client.open("team/base.yaml", BASE)
        assert client.open("team/prod.yaml", "node_groups: [{name: h200, efa: true}]\n") == []
        client.change("team/base.yaml", BASE.replace("p5en.48xlarge", "m7i.large"), wait=False)
        client.wait_for_codes("team/prod.yaml", ["NIC001"])
    finally:
        (client.folder / "clustergen.toml").unlink()


def test_errors_in_the_project_file(client: Client) -> None:
    project = client.folder / "clustergen.toml"
    project.write_text("strikt = true\n", encoding="utf-8")
    try:
        client.open("g.yaml", SPEC)
        client.wait_for_codes("clustergen.toml", ["PRJ002"])
    finally:
        project.unlink()


@pytest.mark.parametrize(("units", "column"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_columns_behind_an_emoji(units: str, column: int) -> None:
    text = Text("", "😀x", units=units)
    assert text.position(types.Position(0, column)) == (0, 1)
    assert text.range(text.between(1, 2)).start.character == column


@pytest.mark.parametrize("units", ["utf-8", pytest.param("utf-32", marks=pytest.mark.repeated())])
def test_other_units(tmp_path: Path, units: str) -> None:
    client = Client(tmp_path, (units, "utf-16"))
    assert client.initialized.capabilities.position_encoding == units
    text = SPEC.replace("{name: h200,", "{labels: {a: 😀}, name: H_200,")
    line = text.split("\n")[5]
    column = line.index("H_200") + (3 if units == "utf-8" else 0)
    assert ("LIM001", 5, column, column + 5) in places(client.open("a.yaml", text))
    assert client.leave() == 0


RULE = """\
import clustergen


@clustergen.rule("ACME001", "Names of ours", why="We bill by name.", source="https://example.com")
def names(plan):
    yield clustergen.Problem(("name",), "this is no name of ours", help="write ours-x")
"""


def test_custom_rules_run_only_on_request_and_where_the_user_allows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are code of the project that is opened."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.py").write_text(RULE, encoding="utf-8")
    project = "[rules]\nfiles = ['rules.py']\n"
    (tmp_path / "clustergen.toml").write_text(project, encoding="utf-8")
    name = str(tmp_path / "a.yaml")

    def found(*, wanted: bool) -> list[str]:
        about = checking.context(name, custom_rules=wanted)
        return [f.code for f in (*checking.check(name, about, {name: SPEC}), *about.problems)]

    assert (found(wanted=False), found(wanted=True)) == ([], ["PRJ009"])
    Path(name).write_text(SPEC, encoding="utf-8")
    assert main(["check", name, "--custom-rules"]) == 1
    assert (found(wanted=False), found(wanted=True)) == ([], ["ACME001"])


@settings(max_examples=share(300))
@given(st.data())
def test_edits_are_those_of_the_client(data: st.DataObject) -> None:
    """Any text and any edits, as a client applies them: in UTF-16, with the protocol's lines."""
    characters = st.text(st.sampled_from([*"ab 😀é", "\n", "\r", "\x0c", "\u2028"]))
    content, text = "", Text("", "")
    for _ in range(data.draw(st.integers(1, 4))):
        places = st.sampled_from(_positions(content))
        (first, *start), (last, *end) = sorted(data.draw(st.tuples(places, places)))
        new = data.draw(characters)
        edited = types.Range(types.Position(*start), types.Position(*end))
        assert text.range(text.between(first, last)) == edited
        assert text.between(first, last)[:2] == text.position(edited.start)
        text = text.changed([types.TextDocumentContentChangePartial(edited, new)], 1)
        content = content[:first] + new + content[last:]
        assert text.content == content


def _positions(content: str) -> list[tuple[int, int, int]]:
    """Each position between characters: offset, line and UTF-16 column."""
    found, line, column = [(0, 0, 0)], 0, 0
    for offset, character in enumerate(content, 1):
        column += 2 if ord(character) > 0xFFFF else 1
        within = content[offset - 1 : offset + 1] == "\r\n"
        if character == "\n" or (character == "\r" and not within):
            line, column = line + 1, 0
        if not within:
            found.append((offset, line, column))
    return found

"""Findings as text, JSON, SARIF and GitHub annotations."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen.base.findings import Finding, Fix, Rule, Severity, Span
from clustergen.output import ordered, render, summary
from clustergen.output.order import shown
from clustergen.output.text import render as render_text
from clustergen.spec.source.characters import INVISIBLE
from tests.support.tables import flow
from tests.support.tiers import share

RULE = Rule(
    code="FSX004",
    title="Size of a file system",
    why="FSx grows in steps.",
    source="https://example.com/fsx",
    bad="storage: [{size: 4800GiB}]",
    good="storage: [{size: 9600GiB}]",
)
RULES = {RULE.code: RULE}
LINE = "    size: 4800GiB"
ERROR = replace(
    RULE.at(("storage", 0, "size"), "4800GiB is not a size", help="write 9600GiB"),
    span=Span("specs/a.yaml", 31, 11, 18, LINE),
)
WARNING = Finding("LIM001", Severity.WARNING, "many nodes", target="pcs")


def at(text: str, marked: str) -> Finding:
    """A finding on ``marked`` in the line ``text``."""
    column = text.index(marked) + 1
    span = Span("a.yaml", 1, column, column + len(marked), text)
    return Finding("SPC022", Severity.ERROR, "m", span=span)


# -- order --------------------------------------------------------------------------------------


def test_findings_are_in_source_order_without_duplicates() -> None:
    def place(file: str, line: int, column: int, code: str = "A") -> Finding:
        return Finding(code, Severity.ERROR, "m", span=Span(file, line, column, column + 1))

    ten = place("a", 10, 1), place("a", 10, 2, "A"), place("a", 10, 2, "B")
    nowhere = Finding("Z", Severity.ERROR, "m")
    sorted_findings = [nowhere, place("a", 2, 9), *ten, place("b", 1, 1)]
    assert ordered([*reversed(sorted_findings), *sorted_findings]) == sorted_findings


@pytest.mark.parametrize(
    ("findings", "text"),
    [
        ([], ""),
        ([ERROR], "1 error"),
        ([WARNING, ERROR, ERROR], "2 errors, 1 warning"),
        ([replace(ERROR, severity=Severity.NOTE)], "1 note"),
    ],
)
def test_summary(findings: list[Finding], text: str) -> None:
    assert summary(findings) == text


# -- text ---------------------------------------------------------------------------------------


def test_text() -> None:
    expected = """\
warning[LIM001]: many nodes
  = target: pcs

error[FSX004]: 4800GiB is not a size
  --> specs/a.yaml:31:11
   |
31 |     size: 4800GiB
   |           ^^^^^^^
   = help: write 9600GiB
   = note: https://example.com/fsx

1 error, 1 warning
"""
    assert render_text([ERROR, WARNING, ERROR], RULES) == expected


NOTE = replace(ERROR, severity=Severity.NOTE, target="pcs")


def test_notes_are_one_line_each_after_the_rest() -> None:
    expected = """\
warning[LIM001]: many nodes
  = target: pcs

note[FSX004]: two\\nlines (pcs)
note[FSX004] specs/a.yaml:31:11: 4800GiB is not a size (pcs)

1 warning, 2 notes; `clustergen check --output full` explains the notes
"""
    several = replace(NOTE, message="two\nlines", span=None)
    assert render_text([NOTE, several, WARNING], RULES) == expected


def test_full_text_has_the_lines_and_help_of_notes() -> None:
    full = render("full", [NOTE, WARNING], RULES)
    assert "   = help: write 9600GiB\n" in full
    assert full.endswith("\n\n1 warning, 1 note\n")


def test_colour_does_not_change_the_text() -> None:
    coloured = render_text([ERROR, WARNING], RULES, colour=True)
    assert coloured.startswith("\x1b[1;33mwarning[LIM001]\x1b[0m\x1b[1m: many nodes\x1b[0m\n")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render_text([ERROR, WARNING], RULES)


def test_text_of_nothing() -> None:
    assert render_text([], RULES) == ""


LONG = "key: [" + "x, " * 100 + "here, " + "y, " * 100 + "]"


@pytest.mark.parametrize(
    ("finding", "shown"),
    [
        (at("a: 日本語 b", "b"), ["1 | a: 日本語 b", "  |           ^"]),
        (at("a: 日本語", "本語"), ["1 | a: 日本語", "  |      ^^^^"]),
        (at("a: 🚀 b", "b"), ["1 | a: 🚀 b", "  |       ^"]),
        (at("e\u0301: b", "b"), ["1 | e\u0301: b", "  |    ^"]),
        (at("a:\tb", "b"), ["1 | a:    b", "  |       ^"]),
        (at("\tb", "\t"), ["1 |     b", "  | ^^^^"]),
        (at("a: \x1b[2J b", "b"), [r"1 | a: \x1b[2J b", "  |            ^"]),
        (at("a: \u202e b", "b"), [r"1 | a: \u202e b", "  |           ^"]),
        (at(LONG, "here"), ["1 | ..." + LONG[266:366] + "...", "  | " + " " * 43 + "^^^^"]),
        (at(LONG, LONG[6:]), ["1 | " + LONG[:100] + "...", "  | " + " " * 6 + "^" * 94]),
    ],
)
def test_the_caret_is_below_its_text(finding: Finding, shown: list[str]) -> None:
    assert render_text([finding], {}).splitlines()[3:5] == shown


@pytest.mark.parametrize(
    ("span", "place"),
    [
        (Span("a.yaml", 3, 1, 2, ""), " --> a.yaml"),
        (Span("--set name=1", 1, 6, 7, "name=1"), " --> --set name=1"),
        (Span("<stdin>", 1, 6, 7, "name: 1"), " --> <stdin>:1:6"),
        (Span("a\nb\x1b.yaml", 1, 1, 2, ""), r" --> a\nb\x1b.yaml"),
    ],
)
def test_places_that_are_not_lines_of_files(span: Span, place: str) -> None:
    assert render_text([replace(ERROR, span=span)], {}).splitlines()[1] == place


def test_texts_of_several_lines_are_indented() -> None:
    finding = replace(ERROR, message="one\r\ntwo", help="write\n  - a\n  - b", span=None)
    assert render_text([finding], {}).splitlines()[:5] == [
        "error[FSX004]: one",
        "    two",
        "  = help: write",
        "            - a",
        "            - b",
    ]


# -- json ---------------------------------------------------------------------------------------


def test_json() -> None:
    assert json.loads(render("json", [ERROR, WARNING], RULES)) == flow("""
        version: 1
        findings:
          - {code: LIM001, title: '', severity: warning, message: many nodes, help: '', url: '',
            path: [], target: pcs, location: null, fix: null}
          - {code: FSX004, title: Size of a file system, severity: error,
            message: 4800GiB is not a size, help: write 9600GiB, url: 'https://example.com/fsx',
            path: [storage, 0, size], target: '', fix: null,
            location: {file: specs/a.yaml, line: 31, column: 11, end_column: 18}}
        summary: {error: 1, warning: 1, note: 0}
    """)


def test_json_has_no_fix_that_cannot_be_applied() -> None:
    """As for a value of --set: there is no text to edit."""
    [found] = json.loads(render("json", [replace(ERROR, fix=Fix())], RULES))["findings"]
    assert found["fix"] is None


# -- github -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finding", "command"),
    [
        (
            ERROR,
            "::error file=specs/a.yaml,line=31,col=11,endColumn=18,"
            "title=FSX004%3A Size of a file system::"
            "4800GiB is not a size%0Ahelp: write 9600GiB%0Anote: https://example.com/fsx",
        ),
        (WARNING, "::warning title=LIM001::many nodes%0Atarget: pcs"),
        (
            Finding("X", Severity.NOTE, "100%\r\n::a,b", span=Span("a:b,c%.yaml", 1, 2, 3, "text")),
            "::notice file=a%3Ab%2Cc%25.yaml,line=1,col=2,endColumn=3,title=X::100%25%0D%0A::a,b",
        ),
        (
            Finding("X", Severity.ERROR, "m", span=Span("--set a=1", 1, 1, 2, "a=1")),
            "::error title=X::--set a=1: m",
        ),
    ],
)
def test_github(finding: Finding, command: str) -> None:
    assert render("github", [finding], RULES) == command + "\n"


# -- sarif --------------------------------------------------------------------------------------


# Schemas of values, by the names that the shape below has for them.
VALUES = flow(r"""
any: {type: string}
text: &text {type: string, minLength: 1}
count: {type: integer, minimum: 1}
index: {type: integer, minimum: 0}
level: {enum: [none, note, warning, error]}
columns: {enum: [utf16CodeUnits, unicodeCodePoints]}
web: {type: string, pattern: '^https://'}
uri: {type: string, pattern: '^(file:///|(?![^/]*:))[A-Za-z0-9._~%/-]*$'}
root: {const: '%SRCROOT%'}
schema: {const: 'https://json.schemastore.org/sarif-2.1.0.json'}
sarif: {const: 2.1.0}
semver: {type: string, pattern: '^[0-9]+\.[0-9]+\.[0-9]+'}  # https://semver.org
texts: {type: object, additionalProperties: *text}
object: {type: object}
""")


def strict(shape: Any) -> dict[str, Any]:
    """The JSON Schema of what has this shape, and no other members; required ones have a !."""
    if isinstance(shape, str):
        schema: dict[str, Any] = VALUES[shape]
        return schema
    if isinstance(shape, list):
        return {"type": "array", "items": strict(shape[0])}
    return {
        "type": "object",
        "properties": {name.rstrip("!"): strict(inner) for name, inner in shape.items()},
        "required": [name.rstrip("!") for name in shape if name.endswith("!")],
        "additionalProperties": False,
    }


# The part of SARIF 2.1.0 that is written here, with what its sections 3.13 to 3.49 ask of it:
# https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
SARIF = strict(
    flow("""
$schema: schema
version!: sarif
runs!:
  - tool!:
      driver!:
        name!: text
        semanticVersion: semver
        rules:
          - id!: text
            shortDescription: &message {text!: text}
            fullDescription: *message
            help: {text!: text, markdown: text}
            helpUri: web
            defaultConfiguration: {level!: level}
    columnKind: columns
    results:
      - ruleId: text
        ruleIndex: index
        level: level
        message!: *message
        locations:
          - physicalLocation:
              artifactLocation!: {uri!: uri, uriBaseId: root}
              region: {startLine!: count, startColumn: count, endColumn: count,
                snippet: {text!: any}}
            logicalLocations: [{fullyQualifiedName: text}]
        partialFingerprints: texts
        properties: object
""")
)
SARIF["properties"]["runs"]["minItems"] = 1


def sarif_run(findings: list[Finding], rules: dict[str, Rule]) -> dict[str, Any]:
    log = json.loads(render("sarif", findings, rules))
    jsonschema.validate(log, SARIF)
    run: dict[str, Any] = log["runs"][0]
    return run


def test_sarif() -> None:
    run = sarif_run([ERROR, WARNING], RULES)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["FSX004"]
    warning, error = run["results"]
    assert warning["locations"] == []
    assert warning["properties"] == {"target": "pcs"}
    assert (error["ruleId"], error["ruleIndex"], error["level"]) == ("FSX004", 0, "error")
    assert error["message"]["text"] == "4800GiB is not a size\nhelp: write 9600GiB"
    assert error["locations"] == flow("""
        - physicalLocation:
            artifactLocation: {uri: specs/a.yaml, uriBaseId: '%SRCROOT%'}
            region: {startLine: 31, startColumn: 11, endColumn: 18,
              snippet: {text: '    size: 4800GiB'}}
          logicalLocations: [{fullyQualifiedName: 'storage[0].size'}]
    """)


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("specs/a b.yaml", "specs/a%20b.yaml"),
        ("./a:b#é.yaml", "a%3Ab%23%C3%A9.yaml"),
        (str(Path.cwd() / "specs" / "a.yaml"), "specs/a.yaml"),
        ("/elsewhere/a.yaml", "file:///elsewhere/a.yaml"),
    ],
)
def test_sarif_uri(file: str, uri: str) -> None:
    run = sarif_run([replace(ERROR, span=Span(file, 1, 1, 2))], {})
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == uri
    assert ("uriBaseId" in location) == (not uri.startswith("file:"))


def test_sarif_has_no_artifacts_without_files() -> None:
    run = sarif_run([replace(ERROR, span=Span("--set a=1", 1, 1, 2, "a=1"))], RULES)
    assert "physicalLocation" not in run["results"][0]["locations"][0]
    assert run["results"][0]["message"]["text"].startswith("--set a=1: ")


# -- several targets, lists and counts -----------------------------------------------------------

SHARED = [
    replace(ERROR, target="pcs"),
    replace(ERROR, target="eks", help="write 4800GiB and efa: false"),
    replace(ERROR, target="parallelcluster"),
]


def test_a_finding_of_several_targets_is_shown_once_with_each_help() -> None:
    (together,) = shown([*SHARED, SHARED[0]])
    assert together.target == "eks, parallelcluster, pcs"
    assert together.help.splitlines() == [
        "eks: write 4800GiB and efa: false",
        "parallelcluster, pcs: write 9600GiB",
    ]
    assert len(json.loads(render("json", SHARED, RULES))["findings"]) == len(SHARED)


def test_a_finding_for_all_targets_names_none() -> None:
    (together,) = shown([ERROR, replace(ERROR, target="pcs")])
    assert (together.target, together.help) == ("", ERROR.help)


def test_concise() -> None:
    assert render("concise", [*SHARED, WARNING], RULES).splitlines() == [
        "warning[LIM001] many nodes (pcs)",
        "specs/a.yaml:31:11: error[FSX004] 4800GiB is not a size (eks, parallelcluster, pcs)",
        "1 error, 1 warning",
    ]
    assert render("concise", [], RULES) == ""


def test_statistics() -> None:
    elsewhere = replace(ERROR, span=Span("specs/b.yaml", 1, 1, 2))
    assert render("statistics", [*SHARED, elsewhere, WARNING], RULES).splitlines() == [
        "    2  error    FSX004  Size of a file system",
        "    1  warning  LIM001",
        "2 errors, 1 warning",
    ]


def test_markdown() -> None:
    marked = replace(
        WARNING, message="a | *b* @c <d>\n`e` & f", span=Span("a|`b.yaml", 2, 1, 2, "x")
    )
    one, two, *end = render("markdown", [ERROR, marked], RULES).splitlines()[2:]
    assert one.startswith("| 🟡 warning | LIM001 | a&#124;&#96;b.yaml:2:1 | a &#124; &#42;b&#42; ")
    assert one.endswith("&#64;c &#60;d&#62;<br>&#96;e&#96; &#38; f (pcs) |")
    assert two.startswith("| 🔴 error | [FSX004](https://example.com/fsx) | specs/a.yaml:31:11 | ")
    assert two.endswith("4800GiB is not a size<br>write 9600GiB |")
    assert end == ["", "1 error, 1 warning."]
    assert render("markdown", [], RULES) == "No findings.\n"
    many = [replace(ERROR, message=str(number)) for number in range(300)]
    assert "and 100 more" in render("markdown", many, RULES)


def test_gitlab() -> None:
    """https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format"""
    found = json.loads(render("gitlab", [*SHARED, WARNING], RULES))
    assert [issue["severity"] for issue in found] == ["minor", *["critical"] * 3]
    assert len({issue["fingerprint"] for issue in found}) == len(found)
    for issue in found:
        assert issue.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
    assert found[0]["location"] == {"path": ".", "lines": {"begin": 1}}
    assert found[1]["location"] == {"path": "specs/a.yaml", "lines": {"begin": 31}}
    assert found[1]["description"].startswith("4800GiB is not a size (")
    assert render("gitlab", [], RULES) == "[]\n"


def test_sarif_tells_the_same_finding_again() -> None:
    """The fingerprint stays when lines above it change; it differs between targets."""
    moved = replace(SHARED[0], span=Span("specs/a.yaml", 40, 11, 18, LINE))
    (one,), (two,), (three,) = (
        sarif_run([finding], RULES)["results"] for finding in (SHARED[0], moved, SHARED[2])
    )
    assert one["partialFingerprints"] == two["partialFingerprints"] != three["partialFingerprints"]
    assert one["message"]["text"].startswith("4800GiB is not a size (pcs)")


@pytest.mark.parametrize(
    ("columns", "widest"), [(0, 110), (200, 110), (80, 80), (60, 60), (20, 60)]
)
def test_source_lines_fit_the_terminal(
    columns: int, widest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((columns, 24)))
    text = render_text([at(LONG, "here")], {})
    lines = text.splitlines()
    assert max(map(len, lines[2:5])) == widest
    assert lines[3].index("here") == lines[4].index("^")


# -- any findings -------------------------------------------------------------------------------

TEXTS = st.text(max_size=30)
SPANS = st.builds(
    lambda file, line, column, length, text: Span(file, line, column, column + length, text),
    TEXTS.filter(bool),
    st.integers(1, 10**6),
    st.integers(1, 200),
    st.integers(1, 200),
    TEXTS.filter(lambda text: "\n" not in text) | st.just(LONG),
)
FINDINGS = st.builds(
    Finding,
    st.sampled_from(["FSX004", "SPC001"]),
    st.sampled_from(Severity),
    TEXTS.filter(bool),
    st.lists(TEXTS | st.integers(0, 9), max_size=3).map(tuple),
    TEXTS,
    TEXTS,
    st.booleans(),
    TEXTS,
    st.none() | SPANS,
)


@settings(max_examples=share(300))
@given(st.lists(FINDINGS, max_size=4))
def test_any_finding_is_reported_in_every_format(findings: list[Finding]) -> None:
    all_findings, together = ordered(findings), shown(findings)
    text = render_text(findings, RULES)
    assert not INVISIBLE.search(text)
    assert len(re.findall(r"^(error|warning|note)\[", text, re.MULTILINE)) >= len(together)
    for format in ("github", "concise"):
        lines = render(format, findings, RULES)
        assert not INVISIBLE.search(lines)
        counted = format == "concise" and bool(together)
        assert lines.count("\n") == len(together) + counted
        assert len(re.split(r"[\r\n]", lines)[:-1]) == len(together) + counted
    assert len(json.loads(render("json", findings, RULES))["findings"]) == len(all_findings)
    results = sarif_run(findings, RULES)["results"]
    assert len(results) == len(all_findings)
    assert not any(INVISIBLE.search(each["message"]["text"]) for each in results)
    assert len(json.loads(render("gitlab", findings, RULES))) == len(all_findings)
    rows = [line for line in render("markdown", findings, RULES).split("\n") if line[:2] == "| "]
    assert all(row.count("|") == 5 for row in rows)
    assert len(rows) == (len(together) + 1 if together else 0)

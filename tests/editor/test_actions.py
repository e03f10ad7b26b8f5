"""Quick fixes, and comments that ignore a finding."""

import pytest
from lsprotocol import types

import clustergen
from clustergen.editor import actions
from clustergen.editor.texts import Text
from tests.editor.client import Client

HEAD = "version: 1\nname: actions\nregion: us-east-1\n"
GROUPS = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\ntargets: {pcs: {}}\n"
GROUPS += "storage: [{mount: /home, type: efs}]\n"
OPEN = HEAD + "network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}\n" + GROUPS


def offered(text: str, line: int | None = None) -> list[types.CodeAction]:
    """The actions on a line, or on all."""
    found = clustergen.check_text(text, name="a.yaml").findings
    opened = Text("file:///a.yaml", text)
    first, last = (0, len(opened.lines)) if line is None else (line, line)
    range = types.Range(types.Position(first, 0), types.Position(last, 0))
    return actions.actions(found, "a.yaml", opened, range)


def applied(text: str, action: types.CodeAction) -> str:
    assert action.edit
    assert action.edit.changes
    edits = action.edit.changes["file:///a.yaml"]
    last_first = sorted(
        edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True
    )
    parts = [types.TextDocumentContentChangePartial(e.range, e.new_text) for e in last_first]
    return Text("file:///a.yaml", text).changed(parts, 1).content


def codes(text: str) -> list[str]:
    return [finding.code for finding in clustergen.check_text(text).findings]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("regoin: us-east-1", "region: us-east-1"),
        ("region: us-east-1 # 😀\ntag: {a: b}", "region: us-east-1 # 😀\ntags: {a: b}"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fix(wrong: str, right: str, end: str) -> None:
    text = (HEAD + "network: {zone: use1-az6}\n" + GROUPS).replace("\n", end)
    good = text.replace("region: us-east-1", right.replace("\n", end))
    bad = text.replace("region: us-east-1", wrong.replace("\n", end))
    fix = offered(bad)[0]
    assert fix.kind == types.CodeActionKind.QuickFix
    assert fix.is_preferred
    assert fix.diagnostics
    assert applied(bad, fix) == good


def ignoring(text: str) -> list[types.CodeAction]:
    return [action for action in offered(text) if action.title.startswith("ignore ")]


@pytest.mark.parametrize(
    "text",
    [
        OPEN,
        OPEN.replace("\n", "\r\n"),
        OPEN.replace("0/0]}", "0/0]}  # the office"),
        OPEN.replace("0/0]}", "0/0]}  # the office").replace("\n", "\r\n"),
        OPEN.replace("use1-az6,", "use1-az6,\n   # none\n "),
        OPEN.removesuffix("targets: {pcs: {}}\n").replace("network", "targets: {pcs: {}}\nnetwork"),
    ],
    ids=["plain", "crlf", "commented", "commented-crlf", "lines", "last"],
)
def test_ignoring_needs_a_reason(text: str) -> None:
    """The finding goes once the reason is there; until then, the comment itself is a finding."""
    action = ignoring(text)[0]
    code = action.title.split()[1]
    without = applied(text, action)
    assert code in codes(without)
    assert set(codes(without)) - set(codes(text)) == {"SPC054"}
    with_reason = without.replace("because ", "because of a firewall", 1)
    assert code not in codes(with_reason)
    assert "SPC054" not in codes(with_reason)


def test_a_second_code_joins_the_first() -> None:
    text = OPEN.replace(
        "{zone: use1-az6, ssh_from: [0.0.0.0/0]}", "{zone: use1-az6, ssh_from: [0.0.0.0/0]}"
    )
    first, second = ignoring(text)[:2]
    ignored = applied(text, first).replace("because ", "because of a firewall", 1)
    again = applied(ignored, ignoring(ignored)[0])
    assert second.title.split()[1] not in codes(again)
    assert again.count("clustergen: ignore") == 1


def test_errors_cannot_be_ignored() -> None:
    assert not ignoring(OPEN.replace("[0.0.0.0/0]", "[]").replace("count: 2", "count: x"))


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        ("region: us", "regoin: us", "write region in place of regoin"),
        ("count: 2", "count: 'two'", ""),
        ("count: 2", "count: '2'", "write count: 2"),
        ("0.0.0.0/0", "0.0.0.0/0", "remove ssh_from"),
    ],
)
def test_titles_say_what_a_fix_does(old: str, new: str, title: str) -> None:
    titles = [action.title for action in offered(OPEN.replace(old, new))]
    assert title in [*titles, ""]


def test_only_what_is_on_the_line() -> None:
    assert offered(OPEN, 0) == []
    assert offered(OPEN, 3)


def test_over_the_protocol(client: Client) -> None:
    text = HEAD.replace("region", "regoin") + "network: {zone: use1-az6}\n" + GROUPS
    found = client.open("act.yaml", text)
    range = types.Range(types.Position(2, 0), types.Position(2, 1))
    document = types.TextDocumentIdentifier(client.uri("act.yaml"))
    params = types.CodeActionParams(document, range, types.CodeActionContext(found))
    action = client.request(types.TEXT_DOCUMENT_CODE_ACTION, params)[0]
    edits = action.edit.changes[client.uri("act.yaml")]
    parts = [
        (
            (e.range.start.line, e.range.start.character),
            (e.range.end.line, e.range.end.character),
            e.new_text,
        )
        for e in edits
    ]
    assert client.change("act.yaml", *parts) == []


def test_all_safe_fixes(client: Client) -> None:
    """One edit; the text around it, with what a fix would have to decide, stays."""
    wrong = HEAD.replace("region", "regoin") + "network: {zone: use1-az6, ssh_form: []}\n" + GROUPS
    client.open("all.yaml", wrong)
    document = types.TextDocumentIdentifier(client.uri("all.yaml"))
    here = types.Range(types.Position(0, 0), types.Position(0, 0))
    context = types.CodeActionContext([], only=[types.CodeActionKind.SourceFixAll])
    params = types.CodeActionParams(document, here, context)
    found = client.request(types.TEXT_DOCUMENT_CODE_ACTION, params)
    assert [action.kind for action in found] == ["source.fixAll.clustergen"]
    edit = found[0].edit.changes[client.uri("all.yaml")][0]
    assert edit.range.start.line == 2
    assert edit.range.end.line == 3
    start, end = edit.range.start, edit.range.end
    part = ((start.line, start.character), (end.line, end.character), edit.new_text)
    assert client.change("all.yaml", part) == []
    assert not client.request(types.TEXT_DOCUMENT_CODE_ACTION, params)


def test_kinds() -> None:
    found = offered(OPEN.replace("region", "regoin"))
    assert actions.of_kinds(found, None) == found
    assert actions.of_kinds(found, [types.CodeActionKind.QuickFix]) == found
    assert actions.of_kinds(found, [types.CodeActionKind.Refactor]) == []

"""Code actions: fixes of findings, and comments that ignore them."""

from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types

from clustergen.base.findings import Edit, Finding, Severity
from clustergen.base.patterns import pattern
from clustergen.editor.diagnostics import at, diagnostics
from clustergen.editor.texts import At, Text
from clustergen.output.order import shown
from clustergen.spec.source.editing.replacement import difference

_CODES = pattern(r"#\s*clustergen:\s*ignore\[(?P<codes>[A-Z0-9, ]+)\]")
_REASON = "because "
FIX_ALL = "source.fixAll.clustergen"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)


def actions(
    findings: Iterable[Finding], name: str, text: Text, range: types.Range
) -> list[types.CodeAction]:
    """What can be done about the findings in a range of the text that they call ``name``."""
    (first, _), (last, _) = text.position(range.start), text.position(range.end)
    here = [
        finding
        for finding in shown(findings)
        if finding.span and finding.span.file == name and first <= finding.span.line - 1 <= last
    ]
    return [*_fixes(here, name, text), *_ignored(here, name, text)]


def fix_all(text: Text, fixed: str) -> types.CodeAction:
    """Replace the part of a text that all safe fixes change."""
    start, end, new = difference(text.content, fixed)
    edit = types.TextEdit(text.range(text.between(start, end)), new)
    made = types.WorkspaceEdit(changes={text.uri: [edit]})
    return types.CodeAction("fix all findings with a safe fix", FIX_ALL, edit=made)


def of_kinds(
    found: Iterable[types.CodeAction], kinds: Sequence[str] | None
) -> list[types.CodeAction]:
    """The actions of the kinds that a client asks for, and of those below them."""
    if kinds is None:
        return list(found)
    wanted = tuple(f"{getattr(kind, 'value', kind)}." for kind in kinds)
    return [a for a in found if f"{getattr(a.kind, 'value', a.kind)}.".startswith(wanted)]


def _fixes(found: Sequence[Finding], name: str, text: Text) -> Iterator[types.CodeAction]:
    for finding in found:
        edits = finding.edits
        if finding.fix and edits and all(edit.file == name for edit in edits):
            made = [_text_edit(edit, text) for edit in edits]
            action = _quick_fix(_title(finding), finding, name, text, made)
            action.is_preferred = finding.fix.is_safe
            yield action


def _quick_fix(
    title: str, finding: Finding, name: str, text: Text, edits: list[types.TextEdit]
) -> types.CodeAction:
    kind, about = types.CodeActionKind.QuickFix, diagnostics([finding], name, text)
    made = types.WorkspaceEdit(changes={text.uri: edits})
    return types.CodeAction(title, kind, about, edit=made)


def _title(finding: Finding) -> str:
    """What a fix does; its help may have alternatives."""
    changes = finding.fix.changes if finding.fix else ()
    if len(changes) == 1 and changes[0].path:
        path, value, kind, _ = changes[0]
        key = next((step for step in reversed(path) if isinstance(step, str)), "")
        if kind == "rename":
            return f"write {value} in place of {key}"
        if kind == "drop":
            return f"remove {key}" if path[-1] == key else f"remove this item of {key}"
        if isinstance(value, str | int | float):
            written = str(value).lower() if isinstance(value, bool) else value
            return f"write {key}: {written}"
    return finding.help.partition("\n")[0] or f"fix {finding.code}"


def _text_edit(edit: Edit, text: Text) -> types.TextEdit:
    place = At(edit.line, edit.column, edit.end_line, edit.end_column)
    return types.TextEdit(text.range(place), edit.text)


def _ignored(found: Sequence[Finding], name: str, text: Text) -> Iterator[types.CodeAction]:
    """A comment for each warning and note. It counts once the reason is written."""
    by_code = {(f.code, at(f.span).line): f for f in found if f.severity is not Severity.ERROR}
    for (code, line), finding in by_code.items():
        title = f"ignore {code} here, and give the reason"
        yield _quick_fix(title, finding, name, text, [_comment(code, line, text)])


def _comment(code: str, line: int, text: Text) -> types.TextEdit:
    """The comment at the end of the line, or on a line above if the line has another comment."""
    written = text.lines[line]
    comment = f"# clustergen: ignore[{code}] {_REASON}"
    if ignored := _CODES.search(written):
        column, new = ignored.end("codes"), f", {code}"
    elif " #" in written:
        indentation = written[: len(written) - len(written.lstrip())]
        ending = text.ended[line][len(written) :] or "\n"
        column, new = 0, f"{indentation}{comment}{ending}"
    else:
        column, new = len(written), f"  {comment}"
    return types.TextEdit(text.range(At(line, column, line, column)), new)

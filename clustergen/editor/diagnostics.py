"""Findings as the protocol's diagnostics."""

from collections.abc import Iterable

from lsprotocol import types

from clustergen.base import documentation
from clustergen.base.findings import Finding, Severity, Span
from clustergen.checking import registry
from clustergen.editor.texts import At, Text
from clustergen.output.order import in_file, shown, whole_message
from clustergen.spec.source.characters import visible

SOURCE = "clustergen"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def diagnostics(findings: Iterable[Finding], name: str, text: Text) -> list[types.Diagnostic]:
    """The diagnostics of the text that findings call ``name``.

    A finding without a place in a file is shown at the beginning.
    """
    placed = ((finding, finding.span) for finding in findings)
    mine = (f for f, span in placed if span is None or not in_file(span) or span.file == name)
    return [_diagnostic(finding, text) for finding in shown(mine)]


def at(span: Span | None) -> At:
    if span is None or not in_file(span):
        return At(0, 0, 0, 0)
    return At(span.line - 1, span.column - 1, span.line - 1, span.end - 1)


def _diagnostic(finding: Finding, text: Text) -> types.Diagnostic:
    link = _link(finding)
    place = at(finding.span)
    # Behind the last character there is nothing that an editor could underline.
    last = max(len(text.lines[place.line]) - 1, 0) if place.line < len(text.lines) else 0
    return types.Diagnostic(
        range=text.range(place._replace(column=min(place.column, last))),
        message=_message(finding),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(link) if link else None,
        source=SOURCE,
    )


def _link(finding: Finding) -> str:
    """The page of the rule, or its source; rules of a project have no page."""
    own = not registry.may_be_custom(finding.code)
    page = documentation.page_of(finding.code, documentation.addresses()) if own else ""
    return page or finding.note.partition("\n")[0]


def _message(finding: Finding) -> str:
    help = f"\nhelp: {finding.help}" if finding.help else ""
    return "\n".join(map(visible, f"{whole_message(finding)}{help}".splitlines()))

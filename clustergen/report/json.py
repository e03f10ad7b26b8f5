"""Findings as JSON.

::

    {"version": 1,
     "findings": [{"code": "FSX004", "title": "...", "severity": "error|warning|note",
                   "message": "...", "help": "...", "url": "https://... or empty",
                   "path": ["storage", 0, "size"], "target": "pcs, or empty for all",
                   "location": {"file": "a.yaml", "line": 31, "column": 11, "end_column": 18},
                   "fix": {"safe": true,
                           "edits": [{"file": "a.yaml", "line": 31, "column": 11,
                                      "end_line": 31, "end_column": 18, "text": "4800GiB"}]}}],
     "summary": {"error": 1, "warning": 0, "note": 0}}

Lines and columns count from 1, columns in characters; the end is exclusive. ``location`` and
``fix`` may be null. Within version 1, keys are never removed or changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clustergen.findings import Edit, Finding, Rule
from clustergen.report.order import ordered, tally

VERSION: Final = 1


def render(
    findings: Sequence[Finding],
    rules: Mapping[str, Rule],
    *,
    colour: bool = False,  # noqa: ARG001 - all formats share the signature
) -> str:
    """The document above; ``colour`` has no effect."""
    shown = ordered(findings)
    document = {
        "version": VERSION,
        "findings": [_finding(finding, rules.get(finding.code)) for finding in shown],
        "summary": {str(severity): count for severity, count in tally(shown).items()},
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding, rule: Rule | None) -> dict[str, Any]:
    return {
        "code": finding.code,
        "title": rule.title if rule else "",
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "url": finding.note,
        "path": list(finding.path),
        "target": finding.target,
        "location": _location(finding),
        "fix": _fix(finding),
    }


def _location(finding: Finding) -> dict[str, Any] | None:
    span = finding.span
    if span is None:
        return None
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_column": span.end,
    }


def _fix(finding: Finding) -> dict[str, Any] | None:
    edits = finding.edits
    if finding.fix is None or not edits:
        return None
    return {"safe": finding.fix.is_safe, "edits": [_edit(edit) for edit in edits]}


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "file": edit.file,
        "line": edit.line + 1,
        "column": edit.column + 1,
        "end_line": edit.end_line + 1,
        "end_column": edit.end_column + 1,
        "text": edit.text,
    }

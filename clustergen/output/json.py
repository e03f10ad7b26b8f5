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

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from clustergen.base.findings import Edit, Finding, Fix, Rule, Span
from clustergen.output.order import Rules, ordered, tally

VERSION: Final = 1


def render(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """The document above; ``colour`` has no effect."""
    shown = ordered(findings)
    document = {
        "version": VERSION,
        "findings": [_finding(finding, rules.get(finding.code)) for finding in shown],
        "summary": {str(severity): count for severity, count in tally(shown).items()},
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding, rule: Rule | None) -> dict[str, Any]:
    edits = finding.edits
    return {
        "code": finding.code,
        "title": rule.title if rule else "",
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "url": finding.note,
        "path": list(finding.path),
        "target": finding.target,
        "location": _location(finding.span) if finding.span else None,
        "fix": _fix(finding.fix, edits) if finding.fix and edits else None,
    }


def _location(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "column": span.column, "end_column": span.end}


def _fix(fix: Fix, edits: Sequence[Edit]) -> dict[str, Any]:
    """Lines and columns of edits count from 0, but for files and texts."""
    written = ({k: v + 1 if isinstance(v, int) else v for k, v in asdict(e).items()} for e in edits)
    return {"safe": fix.is_safe, "edits": list(written)}

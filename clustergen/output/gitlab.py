"""Findings as GitLab's Code Quality report, which GitLab shows in merge requests.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from clustergen.base.findings import Finding, Severity
from clustergen.output.order import Rules, fingerprint, in_file, one_line, ordered, whole_message

_SEVERITIES: Final = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """A list with one object for each finding."""
    return json.dumps([_issue(finding) for finding in ordered(findings)], indent=2) + "\n"


def _issue(finding: Finding) -> dict[str, Any]:
    help = f"; {finding.help}" if finding.help else ""
    span = finding.span if finding.span and in_file(finding.span) else None
    return {
        "description": one_line(f"{whole_message(finding)}{help}"),
        "check_name": finding.code,
        "fingerprint": fingerprint(finding),
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": span.file.removeprefix("./") if span else ".",
            "lines": {"begin": span.line if span else 1},
        },
    }

"""The remaining warnings and notes, for operators of the cluster."""

from __future__ import annotations

from collections.abc import Iterable

from clustergen.base.findings import Finding, Severity
from clustergen.output.markdown_text import escape, spec_path


def known_limits(findings: Iterable[Finding]) -> str:
    """One item for each finding, warnings first, with the code for `explain`."""
    known = [finding for finding in findings if finding.severity is not Severity.ERROR]
    known.sort(key=lambda finding: finding.severity is Severity.NOTE)  # stable
    return "\n".join(dict.fromkeys(map(_item, known)))


def _item(finding: Finding) -> str:
    place = f" ({spec_path(finding.path)})" if finding.path else ""
    help = f"; {escape(finding.help)}" if finding.help else ""
    return f"- {finding.severity} {finding.code}: {escape(finding.message)}{help}{place}"

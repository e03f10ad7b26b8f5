"""Findings as text, one line each: ``file:line:column: severity[CODE] message``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clustergen.findings import Finding, Rule
from clustergen.report.order import one_line, place, shown, summary


def render(
    findings: Sequence[Finding],
    rules: Mapping[str, Rule],  # noqa: ARG001 - all formats share the signature
    *,
    colour: bool = False,  # noqa: ARG001 - all formats share the signature
) -> str:
    """A line for each finding, and one that counts them; empty without findings."""
    merged = shown(findings)
    if not merged:
        return ""
    return "\n".join([*map(_line, merged), summary(merged)]) + "\n"


def _line(finding: Finding) -> str:
    at = f"{place(finding.span)}: " if finding.span else ""
    target = f" ({finding.target})" if finding.target else ""
    return one_line(f"{at}{finding.severity}[{finding.code}] {finding.message}{target}")

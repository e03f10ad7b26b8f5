"""Order and counts of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from clustergen.findings import Finding, Severity, Span


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in source order, each once; those without a position come first."""
    return sorted(dict.fromkeys(findings), key=_key)


def _key(finding: Finding) -> tuple[str, int, int, str, str, str]:
    span = finding.span or Span("", 0, 0, 0)
    return (span.file, span.line, span.column, finding.code, finding.target, finding.message)


def tally(findings: Iterable[Finding]) -> dict[Severity, int]:
    """The number of findings of each severity, most severe first."""
    counts = Counter(finding.severity for finding in findings)
    return {severity: counts[severity] for severity in Severity}


def summary(findings: Iterable[Finding]) -> str:
    """``2 errors, 1 warning``; empty when there are none."""
    return ", ".join(
        f"{count} {severity}{'s' if count > 1 else ''}"
        for severity, count in tally(findings).items()
        if count
    )


def in_file(span: Span) -> bool:
    """Whether the place is in a file, not on standard input or in ``--set``."""
    return not span.file.startswith(("<", "--set "))


def located_message(finding: Finding) -> str:
    """The message; prefixed with its place if that is not in a file, which formats may need."""
    if finding.span is None or in_file(finding.span):
        return finding.message
    return f"{finding.span.file}: {finding.message}"

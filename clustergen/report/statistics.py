"""How many findings each rule has, the most frequent first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from clustergen.findings import Finding, Rule
from clustergen.report.order import shown, summary


def render(
    findings: Sequence[Finding],
    rules: Mapping[str, Rule],
    *,
    colour: bool = False,  # noqa: ARG001 - all formats share the signature
) -> str:
    """A line for each code with its count and title; empty without findings."""
    merged = shown(findings)
    if not merged:
        return ""
    counts = Counter((finding.code, finding.severity) for finding in merged)
    lines = [
        f"{count:>5}  {severity:<7}  {code}  {rules[code].title if code in rules else ''}".rstrip()
        for (code, severity), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join([*lines, summary(merged)]) + "\n"

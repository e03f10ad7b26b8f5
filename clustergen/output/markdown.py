"""Findings as a table in Markdown, for job summaries and comments on pull requests."""

from collections.abc import Sequence
from typing import Final

from clustergen.base import documentation
from clustergen.base.findings import Finding, Rule, Severity
from clustergen.output.order import Rules, about, one_line, place, shown, summary

MOST: Final = 200
"""Rows of the table; GitHub shows at most 1 MiB of a job summary."""
_MARKS: Final = {Severity.ERROR: "🔴", Severity.WARNING: "🟡", Severity.NOTE: "🔵"}


def render(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """A row for each finding, and a line that counts them; it is there without findings, too."""
    merged = shown(findings)
    if not merged:
        return "No findings.\n"
    lines = ["| | Code | Place | Finding |", "|---|---|---|---|"]
    lines += (_row(finding, rules.get(finding.code)) for finding in merged[:MOST])
    if len(merged) > MOST:
        lines.append(f"| | | | and {len(merged) - MOST} more |")
    return "\n".join([*lines, "", f"{summary(merged)}."]) + "\n"


def _row(finding: Finding, rule: Rule | None) -> str:
    mark = f"{_MARKS[finding.severity]} {finding.severity}"
    page = documentation.help_uri(rule) if rule else ""
    is_url = page.startswith("https://") and not set(page) & set(" |()<>")
    code = f"[{finding.code}]({page})" if is_url else finding.code
    help = f"<br>{_cell(finding.help)}" if finding.help else ""
    at = _cell(place(finding.span)) if finding.span else ""
    return f"| {mark} | {code} | {at} | {_cell(finding.message + about(finding))}{help} |"


_MARKUP: Final = {ord(character): f"&#{ord(character)};" for character in "\\`*_<>[]~#@&|"}


def _cell(text: str) -> str:
    """Text that cannot end its cell, and is not taken for markup or for a mention."""
    return "<br>".join(one_line(line).translate(_MARKUP) for line in text.splitlines())

"""Findings as GitHub Actions workflow commands, which GitHub shows as annotations.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Sequence
from typing import Final

from clustergen.base.findings import Finding, Rule, Severity
from clustergen.output.order import Rules, details, in_file, located_message, shown
from clustergen.spec.source.characters import visible

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """One line for each finding; ``colour`` has no effect."""
    return "".join(f"{_command(f, rules.get(f.code))}\n" for f in shown(findings))


def _command(finding: Finding, rule: Rule | None) -> str:
    title = f"{finding.code}: {rule.title}" if rule else finding.code
    properties = {**_position(finding), "title": title}
    text = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {text}::{_data(_message(finding))}"


def _position(finding: Finding) -> dict[str, str]:
    span = finding.span
    if span is None or not in_file(span):
        return {}
    line, column, end = map(str, (span.line, span.column, span.end))
    return {"file": span.file, "line": line, "col": column, "endColumn": end}


def _message(finding: Finding) -> str:
    lines = (f"{name}: {text}" for name, text in details(finding))
    return "\n".join([located_message(finding), *lines])


def _data(text: str) -> str:
    """Escaped text of a command, as in GitHub's toolkit."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

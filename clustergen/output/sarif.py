"""Findings as SARIF 2.1.0, for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final
from urllib.parse import quote

from clustergen.base import documentation
from clustergen.base.findings import Edit, Finding, Rule, Span
from clustergen.base.version import __version__
from clustergen.output.order import Rules, fingerprint, in_file, ordered, whole_message
from clustergen.spec.source.characters import visible
from clustergen.spec.source.nodes import dotted

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def render(findings: Sequence[Finding], rules: Rules, colour: bool) -> str:  # noqa: ARG001
    """A SARIF log with one run; ``colour`` has no effect."""
    shown = ordered(findings)
    used = [rules[code] for code in sorted({f.code for f in shown}) if code in rules]
    indexes = {rule.code: index for index, rule in enumerate(used)}
    driver = {
        "name": "clustergen",
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in used],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, indexes) for finding in shown],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    page = documentation.help_uri(rule)
    link = {"helpUri": page} if page else {}  # SARIF wants an absolute address, or none
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        # The Markdown is what GitHub shows; it needs no page elsewhere.
        "help": {
            "text": _explanation(rule, "{}:\n{}"),
            "markdown": _explanation(rule, "{}:\n\n```yaml\n{}\n```"),
        },
        "defaultConfiguration": {"level": str(rule.severity)},
        **link,
    }


def _explanation(rule: Rule, example: str) -> str:
    given = zip(("Wrong", "Right"), rule.examples, strict=True)
    examples = (example.format(title, text.rstrip()) for title, text in given if text)
    return "\n\n".join([rule.why, *examples, f"Source: {rule.source}"])


def _result(finding: Finding, indexes: Mapping[str, int]) -> dict[str, Any]:
    help = f"\nhelp: {finding.help}" if finding.help else ""
    index = {"ruleIndex": indexes[finding.code]} if finding.code in indexes else {}
    target = {"properties": {"target": finding.target}} if finding.target else {}
    message = whole_message(finding) + help
    return {
        "ruleId": finding.code,
        **index,
        "level": str(finding.severity),
        "message": {"text": visible(message)},
        "locations": _locations(finding),
        "partialFingerprints": {"clustergen/v1": fingerprint(finding)},
        **target,
        **_fixes(finding),
    }


def _fixes(finding: Finding) -> dict[str, Any]:
    changes: dict[str, list[Edit]] = {}
    for edit in finding.edits:
        changes.setdefault(edit.file, []).append(edit)
    if not changes or finding.fix is None:
        return {}
    kind = "" if finding.fix.is_safe else " (this decides something: review it)"
    fix = {
        "description": {"text": visible(finding.help or finding.message) + kind},
        "artifactChanges": [
            {"artifactLocation": _artifact(file), "replacements": [_replacement(e) for e in edits]}
            for file, edits in changes.items()
        ],
    }
    return {"fixes": [fix]}


def _replacement(edit: Edit) -> dict[str, Any]:
    start = {"startLine": edit.line + 1, "startColumn": edit.column + 1}
    end = {"endLine": edit.end_line + 1, "endColumn": edit.end_column + 1}
    return {"deletedRegion": start | end, "insertedContent": {"text": edit.text}}


def _locations(finding: Finding) -> list[dict[str, Any]]:
    location: dict[str, Any] = {}
    if finding.span and in_file(finding.span):
        location["physicalLocation"] = _physical(finding.span)
    if finding.path:
        location["logicalLocations"] = [{"fullyQualifiedName": dotted(finding.path)}]
    return [location] if location else []


def _physical(span: Span) -> dict[str, Any]:
    region = {"startLine": span.line, "startColumn": span.column, "endColumn": span.end}
    snippet = {"snippet": {"text": visible(span.text)}} if span.text else {}
    return {"artifactLocation": _artifact(span.file), "region": {**region, **snippet}}


def _artifact(file: str) -> dict[str, Any]:
    """The file relative to the working directory, which must be the root of the checkout."""
    path = PurePath(file)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    if path.is_absolute():
        return {"uri": "file://" + quote(path.as_posix(), errors="replace")}
    return {"uri": quote(path.as_posix(), errors="replace"), "uriBaseId": "%SRCROOT%"}

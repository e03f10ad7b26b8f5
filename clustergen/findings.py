"""What clustergen has to say about a spec: findings, and the rules they come from.

A finding is a value. It is made by a rule, carries a path into the spec, gets its position in the
text from :mod:`clustergen.source`, and becomes text in one place only, :mod:`clustergen.report`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace

Path = tuple[str | int, ...]
"""Where in the spec: ``("node_groups", 0, "instance_type")``."""


class Severity(enum.StrEnum):
    """How much a finding weighs: errors stop a render, warnings only with ``--strict``."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one source line; line and columns count from 1, ``end`` is exclusive."""

    file: str
    line: int
    column: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell the user, with its place and its way out."""

    code: str
    severity: Severity
    message: str
    path: Path = ()
    help: str = ""
    note: str = ""
    on_key: bool = False
    """The finding is about the key at ``path`` (an unknown one, say), not about its value."""
    target: str = ""
    """The only target it holds for; empty when it holds for all."""
    span: Span | None = None

    def placed(self, span: Span | None) -> Finding:
        """The same finding with its position in the text."""
        return replace(self, span=span)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding code means: ``explain`` prints it, the tests run its examples."""

    code: str
    title: str
    why: str
    source: str
    """URL, or package and field, that proves the rule."""
    bad: str = ""
    """A spec fragment (YAML, merged over :data:`EXAMPLE_BASE`) that has this finding."""
    good: str = ""
    """The smallest repair of ``bad``: it does not have the finding."""
    severity: Severity = Severity.ERROR
    target: str = ""

    def at(
        self,
        path: Path,
        message: str,
        *,
        help: str = "",
        on_key: bool = False,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule at ``path``."""
        note = self.source if self.source.startswith("https://") else ""
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            message=message,
            path=path,
            help=help,
            note=note,
            on_key=on_key,
            target=self.target,
        )


EXAMPLE_BASE = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
"""
"""The spec that rule examples are merged over, so that each shows only what it is about."""


class Unrenderable(Exception):
    """A spec that cannot be turned into what was asked for; ``findings`` say why."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{f.code}: {f.message}" for f in self.findings))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Only the findings that stop a render."""
    return [f for f in findings if f.severity is Severity.ERROR]

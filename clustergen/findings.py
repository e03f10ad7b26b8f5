"""Findings about a spec, and the rules that they come from.

A finding is a value. A rule creates it with a path into the spec; :mod:`clustergen.source` adds its
position in the text, and only :mod:`clustergen.report` formats it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
"""Path in the spec: ``("node_groups", 0, "instance_type")``."""


class Severity(enum.StrEnum):
    """Severity of a finding: errors prevent rendering, warnings only with ``--strict``."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of one source line; line and columns count from 1, ``end`` is exclusive."""

    file: str
    line: int
    column: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One message to the user, with its place and help."""

    code: str
    severity: Severity
    message: str
    path: Path = ()
    help: str = ""
    note: str = ""
    on_key: bool = False
    """The finding is about the key at ``path``, not its value."""
    target: str = ""
    """The only target that it applies to; empty if it applies to all."""
    span: Span | None = None
    fatal: bool = False
    """The spec cannot be planned."""
    could_not: bool = False
    """The command could not run, independent of the spec."""
    feature: str = ""
    """The id of a missing feature, until the help names targets that support it."""

    def placed(self, span: Span | None) -> Finding:
        """The same finding with its position in the text."""
        return replace(self, span=span)


class Problem(NamedTuple):
    """A violation that the check of a rule found: place, message and help."""

    path: Path
    message: str
    help: str = ""
    on_key: bool = False
    severity: Severity | None = None
    """Severity of this problem, if it differs from that of the rule."""
    source: str = ""
    """The source of this problem, if not that of the rule: for rules on several services."""
    feature: str = ""
    """The id of a feature that the target lacks; the help will name targets that support it."""


Check = Callable[[Any], Iterable[Problem]]
"""Checks a subject (a plan, a spec, a document) and yields problems of one rule."""


class Rule(NamedTuple):
    """A rule: its code, documentation and check.

    A module of a ``rules`` package declares it above its check, with :func:`rule`. Some problems
    occur only during an operation: text does not parse, a folder cannot be written. Such a rule has
    no check, and the code that meets the problem calls :meth:`at`.
    """

    code: str
    title: str
    why: str
    source: str
    """URL, or package and field, that proves the rule."""
    bad: str = ""
    """A YAML fragment, merged over :data:`EXAMPLE_BASE`, that triggers the rule."""
    good: str = ""
    """``bad`` with the smallest fix."""
    severity: Severity = Severity.ERROR
    target: str = ""
    """The target of the rule; empty for all."""
    by_limits: bool = False
    """The rule checks all targets against their limits; ``target`` is only for the examples."""
    fatal: bool = False
    """A spec with this error cannot be planned."""
    could_not: bool = False
    """The command could not run, independent of the spec: exit status 2."""
    check: Check | None = None

    def find(self, subject: Any) -> Iterator[Finding]:
        """The findings of this rule about ``subject``."""
        for problem in self.check(subject) if self.check else ():
            yield self.found(problem)

    def found(self, problem: Problem) -> Finding:
        """The finding of this rule for a problem."""
        source = problem.source or self.source
        severity = problem.severity or self.severity
        return Finding(
            code=self.code,
            severity=severity,
            message=problem.message,
            path=problem.path,
            help=problem.help,
            note=source if source.startswith("https://") else "",
            on_key=problem.on_key,
            target=self.target,
            fatal=self.fatal and severity is Severity.ERROR,
            could_not=self.could_not,
            feature=problem.feature,
        )

    def at(
        self,
        path: Path,
        message: str,
        *,
        help: str = "",
        on_key: bool = False,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule at ``path``, for code that is not a check."""
        return self.found(Problem(path, message, help, on_key, severity))


def rule(  # noqa: PLR0913 a rule has this many parts
    code: str,
    title: str,
    *,
    why: str,
    source: str,
    bad: str = "",
    good: str = "",
    severity: Severity = Severity.ERROR,
    target: str = "",
    fatal: bool = False,
    by_limits: bool = False,
) -> Callable[[Check], Rule]:
    """Decorator that turns a check into a :class:`Rule`."""

    def declare(check: Check) -> Rule:
        return Rule(
            code=code,
            title=title,
            why=why,
            source=source,
            bad=bad,
            good=good,
            severity=severity,
            target=target,
            fatal=fatal,
            by_limits=by_limits,
            check=check,
        )

    return declare


EXAMPLE_BASE = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
"""
"""The spec over which rule examples are merged."""


class Unrenderable(Exception):
    """A spec that cannot be rendered as requested; ``findings`` explain why."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{f.code}: {f.message}" for f in self.findings))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that prevent rendering."""
    return [f for f in findings if f.severity is Severity.ERROR]

"""Findings about a spec, and the rules that they come from.

A finding is a value. A rule creates it with a path into the spec; :mod:`clustergen.spec.source`
adds its position in the text, and only :mod:`clustergen.output` formats it.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, ParamSpec

from clustergen.base.patterns import pattern

Path = tuple[str | int, ...]
"""Path in the spec: ``("node_groups", 0, "instance_type")``."""

LIMIT = 100
"""Findings of one code that are listed; a last one says how many more there are."""


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


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """New text for a range of a source text.

    Lines and columns count from 0, columns in characters (Unicode code points) without a byte order
    mark; the end is exclusive. Lines end with CRLF, LF or CR. An empty range inserts.
    """

    file: str
    """The name of the text, as in :attr:`Span.file`."""
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Change(NamedTuple):
    """A change of the data of a spec; see :func:`put`, :func:`drop` and :func:`rename`."""

    path: Path
    value: Any = None
    """The new value; for a new name of a key, that name."""
    kind: Literal["put", "drop", "rename"] = "put"
    first: bool = False
    """A new key comes first in its mapping, not last."""


def put(path: Path, value: Any, *, first: bool = False) -> Change:
    """Write ``value`` (plain data) at ``path``.

    Missing keys are added. An index one past the end of a list appends.
    """
    return Change(path, value, first=first)


def drop(path: Path) -> Change:
    """Remove the entry or the item at ``path``."""
    return Change(path, kind="drop")


def rename(path: Path, key: str) -> Change:
    """Give the key at ``path`` another name; its value stays."""
    return Change(path, key, "rename")


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to resolve a finding: changes of the data, or edits of the text.

    It is safe if it writes what the text obviously means, or what the service does anyway. It is
    unsafe if it decides something: another size, zone or instance type, or a setting less.
    """

    changes: tuple[Change, ...] = ()
    is_safe: bool = True
    edits: tuple[Edit, ...] = ()
    """For findings about the text itself, which :attr:`changes` cannot express."""

    def moved(self, move: Callable[[Path], Path | None]) -> Fix | None:
        """The fix with other paths; None if ``move`` has none for one of them."""
        paths = [move(change.path) for change in self.changes]
        if not all(paths):
            return None
        moved = (c._replace(path=path) for c, path in zip(self.changes, paths, strict=True) if path)
        return replace(self, changes=tuple(moved))


def safe(*changes: Change) -> Fix:
    """A fix that writes what the user obviously means."""
    return Fix(changes)


def unsafe(*changes: Change) -> Fix:
    """A fix that decides something for the user."""
    return Fix(changes, is_safe=False)


def corrected(path: Path, word: str, meant: str) -> Fix:
    """A fix that writes ``meant``, which is similar to ``word``.

    It is safe if the digits are the same: otherwise it is another version or size.
    """
    is_misspelt = [*filter(str.isdigit, word)] == [*filter(str.isdigit, meant)]
    return Fix((put(path, meant),), is_misspelt)


Editor = Callable[[Fix], tuple[Edit, ...]]
"""Turns a fix into edits of the text."""


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
    """The id of a feature that the target lacks; the help names targets that support it."""
    unused: bool = False
    """The target does not use what is at ``path``; other targets may."""
    fix: Fix | None = field(default=None, compare=False, repr=False)
    editor: Editor | None = field(default=None, compare=False, repr=False)
    """Knows the text of the spec."""

    def placed(self, span: Span | None, editor: Editor | None = None) -> Finding:
        """The same finding with its position in the text."""
        return replace(self, span=span, editor=editor or self.editor)

    def detached(self, *, edits: bool) -> Finding:
        """The same finding without the text of its spec, and with ``edits`` only if wanted."""
        if self.fix is None:
            return self
        made = self.edits if edits else ()
        fix = Fix(is_safe=self.fix.is_safe, edits=made) if made else None
        return replace(self, fix=fix, editor=None)

    def below(self, prefix: Path) -> Finding:
        """The same finding with paths that begin with ``prefix``."""
        fix = self.fix.moved(lambda path: (*prefix, *path)) if self.fix else None
        return replace(self, path=(*prefix, *self.path), fix=fix)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that resolve this finding, in order, to be applied together.

        Empty if there is no fix, or none for this text: the value comes from ``--set``, or an
        anchor repeats it elsewhere. :attr:`Fix.is_safe` of :attr:`fix` says whether they are safe.
        They are computed at each access: read the text again before you apply edits of two
        findings that overlap.
        """
        if self.fix is None:
            return ()
        return self.fix.edits or (self.editor(self.fix) if self.editor else ())


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
    fix: Fix | None = None
    """What ``check --fix`` does about it."""
    unused: bool = False
    """The target does not use what is at ``path``; other targets may."""


def unwanted(path: Path, message: str, help: str = "", **more: Any) -> Problem:
    """A problem that goes away when the user removes what is at ``path``."""
    return Problem(path, message, help, fix=unsafe(drop(path)), **more)


Check = Callable[[Any], Iterable[Problem]]
"""Checks a subject (a plan, a spec, a document) and yields problems of one rule."""


_REPEATED = pattern(r"((.)\2{9})\2{90,}")
_ALIKE = pattern(r"(\S+, )\1{9,}")


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
    """``bad`` with the smallest fix; if empty, what the first finding's fix writes:
    :func:`clustergen.checking.examples.complete`."""
    severity: Severity = Severity.ERROR
    target: str = ""
    """The target of the rule; empty for all."""
    fixes: Literal["", "safe", "unsafe", "safe or unsafe"] = ""
    """The kind of fixes that findings of this rule may have, if the bad example does not show it:
    see ``good``."""
    by_limits: bool = False
    """The rule is for every target that its check fits; ``target`` is only for the examples."""
    fatal: bool = False
    """A spec with this error cannot be planned."""
    could_not: bool = False
    """The command could not run, independent of the spec: exit status 2."""
    check: Check | None = None
    calls: tuple[str, ...] = ()
    """The calls to AWS that its check makes (:mod:`clustergen.base.account`): only `preflight` runs
    it. Then the examples are answers to such a call."""
    by_hand: Callable[[Any], str] | None = None
    """For a plan, what to look at instead of running the check; empty if nothing."""

    @property
    def examples(self) -> tuple[str, str]:
        """``bad`` and ``good`` for readers, without what is repeated to reach a limit."""
        bad, good = (_REPEATED.sub(r"\1...", text) for text in (self.bad, self.good))
        return _ALIKE.sub(r"\1..., ", bad), _ALIKE.sub(r"\1..., ", good)

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
            unused=problem.unused,
            fix=problem.fix,
        )

    def at(self, path: Path, message: str, **more: Any) -> Finding:
        """A finding of this rule at ``path``, for code that is not a check."""
        return self.found(Problem(path, message, **more))


own_rule = functools.partial(Rule, source="clustergen")
"""A rule of clustergen itself, about its own texts and files."""
_P = ParamSpec("_P")


def _decorator(make: Callable[_P, Rule]) -> Callable[_P, Callable[[Check], Rule]]:
    def rule(*parts: _P.args, **named: _P.kwargs) -> Callable[[Check], Rule]:
        made = make(*parts, **named)
        return lambda check: made._replace(check=check)

    return rule


rule = _decorator(Rule)
"""Decorator that turns a check into a :class:`Rule`; its arguments are the parts of the rule."""
warning = functools.partial(rule, severity=Severity.WARNING)
note = functools.partial(rule, severity=Severity.NOTE)
"""The same for a rule whose findings are warnings, or notes."""


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


def found(rules: Iterable[Rule], subject: Any) -> Iterator[Finding]:
    """The findings of all ``rules`` about ``subject``. A check asks some hundreds of them."""
    for each in rules:
        for problem in each.check(subject) if each.check else ():
            yield each.found(problem)


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that prevent rendering."""
    return [f for f in findings if f.severity is Severity.ERROR]


def limited(findings: Iterable[Finding]) -> list[Finding]:
    """The first findings of each code, and how many more there are, at the place of the next.

    The severity stays, and so does the target: each target keeps an error that it has.
    """
    groups: dict[tuple[str, Severity, str], list[Finding]] = {}
    listed = list(dict.fromkeys(findings))
    for finding in listed:
        groups.setdefault((finding.code, finding.severity, finding.target), []).append(finding)
    long = [sorted(group, key=_line) for group in groups.values() if len(group) > LIMIT + 1]
    rest = {finding for group in long for finding in group[LIMIT:]}
    kept = [finding for finding in listed if finding not in rest] if rest else listed
    return kept + [
        replace(
            group[LIMIT],
            message=f"{len(group) - LIMIT} more findings {group[LIMIT].code} from here on are not "
            "listed",
            help="correct those above, and check again",
            fix=None,
        )
        for group in long
    ]


def _line(finding: Finding) -> tuple[str, int, int]:
    span = finding.span
    return (span.file, span.line, span.column) if span else ("", 0, 0)

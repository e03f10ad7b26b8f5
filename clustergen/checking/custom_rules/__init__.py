"""Rules of a project, which run beside ours.

A project declares them as we do, with :func:`clustergen.rule`, in Python files or packages that its
project file names. Their code may fail: every failure becomes a finding at its line, and our own
findings stay.
"""

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from clustergen.base.findings import Finding, Fix, Path, Problem, Rule, Severity
from clustergen.checking.custom_rules import places
from clustergen.checking.custom_rules.rules.declarations import FAILED
from clustergen.plan.model import Plan

FAILURES = (Exception, SystemExit)
"""What the code of a project may raise; Ctrl-C still ends the command."""


def check(plan: Plan, rules: Iterable[Rule]) -> Iterator[Finding]:
    """The findings of ``rules`` about ``plan``, and of those that failed."""
    for rule in rules:
        if rule.target in ("", plan.target):
            yield from _findings(rule, plan)


def _findings(rule: Rule, plan: Plan) -> list[Finding]:
    found: list[Finding] = []
    try:
        # What a rule prints must not get into a report on standard output.
        with contextlib.redirect_stdout(sys.stderr):
            for problem in rule.check(plan) if rule.check else ():
                found.append(rule.found(_read(problem)))  # noqa: PERF401 before an error, too
    except FAILURES as error:
        message = f"the rule {rule.code} failed: {describe(error)}"
        help = "correct the rule, or check without it: --no-custom-rules"
        code = getattr(rule.check, "__code__", None)  # unless the check is not a function
        at = places.of_error(error, code.co_filename if code else "") or places.of_rule(rule)
        found.append(FAILED.at((), message, help=help).placed(at))
    return found


def describe(error: BaseException) -> str:
    """The type and the text of an error, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def _read(found: Any) -> Problem:
    """What a check has yielded, in the form in which we read it.

    :raises TypeError: if it is not a problem with a path and a message.
    :raises ValueError: if its severity does not exist.
    """
    if not isinstance(found, Problem):
        raise TypeError(f"it yields {_named(found)}; yield Problem(path, message)")
    for name, value in (("message", found.message), ("help", found.help)):
        if not isinstance(value, str):
            raise TypeError(f"the {name} of a problem is {_named(value)}; write a text")
    if found.fix is not None:
        _check_fix(found.fix)
    severity = None if found.severity is None else Severity(found.severity)
    return found._replace(path=_path(found.path), severity=severity, feature="")


def _check_fix(fix: Any) -> None:
    """Raise TypeError for a fix that cannot be written as text."""
    if not isinstance(fix, Fix):
        raise TypeError(f"the fix of a problem is {_named(fix)}; use safe(put(path, value))")
    for change in fix.changes:
        _path(change.path)
        if not _is_plain(change.value):
            raise TypeError("the value of a fix is not plain data: texts, numbers, lists, dicts")


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


def _path(path: Any) -> Path:
    if not isinstance(path, tuple | list) or not all(isinstance(p, str | int) for p in path):
        form = '("node_groups", 0, "count")'
        raise TypeError(f"the path of a problem is {_named(path)}; write it as {form}")
    return tuple(path)


def _named(value: object) -> str:
    return f"of type {type(value).__name__}"

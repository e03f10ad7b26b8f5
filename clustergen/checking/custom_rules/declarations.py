"""Whether a custom rule is declared so that reports, ``explain`` and ignores can use it."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen import targets
from clustergen.base.findings import Finding, Rule, Severity
from clustergen.base.patterns import pattern
from clustergen.checking import registry
from clustergen.checking.custom_rules.rules.declarations import WRONG

_CODE = pattern(r"[A-Z][A-Z0-9]{2,9}[0-9]{3}")
_FORM = "write a prefix of 3 to 10 capital letters and digits, and three digits, such as ACME001"


def problem(rule: Rule, others: Mapping[str, Rule]) -> Finding | None:
    """What is wrong with the declaration of ``rule`` beside ``others``, by code, if anything is."""
    return next((WRONG.at((), m, help=h) for m, h in _problems(rule, others)), None)


def read(rule: Rule) -> Rule:
    """A valid rule, with its values as ours have them."""
    return rule._replace(
        severity=Severity(rule.severity), target=targets.resolve(rule.target) or ""
    )


def _problems(rule: Rule, others: Mapping[str, Rule]) -> Iterator[tuple[str, str]]:
    """Messages and help, the first of which counts."""
    code: Any = rule.code
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        yield f"{code!r} is not a code", _FORM
        return
    if area := next((area for area in registry.AREAS if code.startswith(area)), None):
        message = f"the code {code} begins with {area}, which is a prefix of clustergen's own codes"
        yield message, "use a prefix of your own, such as ACME001"
    if others.get(code, rule) is not rule:
        yield f"two rules have the code {code}", f"use another code than {others[code].title!r} has"
    for name in ("title", "why", "source", "bad", "good", "target"):
        value = getattr(rule, name)
        if not isinstance(value, str) or (name in ("title", "why") and not value.strip()):
            yield f"the rule {code} has no text as its {name}", f'write {name}="..."'
            return
    if rule.severity not in tuple(Severity):
        choices = ", ".join(f"Severity.{severity.name}" for severity in Severity)
        yield f"the rule {code} has no valid severity", f"use {choices}"
    if rule.target and targets.resolve(rule.target) is None:
        help = f"use {', '.join(targets.NAMES)}, or none for all targets"
        yield f"the rule {code} is for a target {rule.target!r}, which does not exist", help
    if rule.fatal or rule.by_limits or rule.could_not:
        message = f"the rule {code} has fatal, by_limits or could_not, which only our rules can use"
        yield message, "remove them"
    if not callable(rule.check):
        help = "declare it with @rule(...) above a function that takes a plan"
        yield f"the rule {code} has no check", help

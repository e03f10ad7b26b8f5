"""Rules about the account in which a plan is to be deployed.

Their checks take a :class:`clustergen.preflight.case.Case`. A rule declares each call that its
check makes: the policy of the command comes from these declarations. ``by_hand`` makes its lines in
the checklist of a bundle's README; a rule without a line does not concern the plan, and its check
does not run. The examples are answers: fields of what a call lists, or an error code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from clustergen import findings
from clustergen.findings import Check, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.readme.markdown import escape


def listed(names: Iterable[str]) -> str:
    """Names from a spec in a line of Markdown."""
    return escape(", ".join(names))


def rule(  # noqa: PLR0913 a rule has this many parts
    code: str,
    title: str,
    *,
    why: str,
    source: str,
    calls: tuple[str, ...],
    by_hand: Callable[[Plan], str],
    bad: str,
    good: str,
    severity: Severity = Severity.ERROR,
) -> Callable[[Check], Rule]:
    """Declares a rule about the account."""
    declared = findings.rule(
        code, title, why=why, source=source, bad=bad, good=good, severity=severity
    )
    return lambda check: declared(check)._replace(calls=calls, by_hand=by_hand)

"""Rules about the account in which a plan is to be deployed.

Their checks take a :class:`clustergen.checking.preflight.case.Case`. A rule declares each call that
its check makes: the policy of the command comes from these declarations. ``by_hand`` makes its
lines in the checklist of a bundle's README; a rule without a line does not concern the plan, and
its check does not run. The examples are answers: fields of what a call lists, or an error code.
"""

from collections.abc import Callable, Iterable

from clustergen.output.markdown_text import escape
from clustergen.plan.model import Plan


def listed(names: Iterable[str]) -> str:
    """Names from a spec in a line of Markdown."""
    return escape(", ".join(names))


def about(names: Callable[[Plan], Iterable[str]], line: str) -> Callable[[Plan], str]:
    """A line about ``{names}`` of a spec, which may have fields of the ``{plan}``; none without."""

    def by_hand(plan: Plan) -> str:
        found = listed(filter(None, names(plan)))
        return line.format(names=found, plan=plan) if found else ""

    return by_hand


def where(holds: Callable[[Plan], object], line: str) -> Callable[[Plan], str]:
    """A line that may have fields of the ``{plan}``, for plans that it concerns."""
    return lambda plan: line.format(plan=plan) if holds(plan) else ""

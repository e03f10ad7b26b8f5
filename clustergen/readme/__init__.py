"""The README.md of a bundle: resources, requirements, decisions and next steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from clustergen import targets
from clustergen.artifacts import Artifact
from clustergen.findings import Finding
from clustergen.plan.model import Plan
from clustergen.readme import costs, monitoring, nodes, storage, timetable, what_stays
from clustergen.readme.known_limits import known_limits
from clustergen.readme.markdown import escape, spec_path
from clustergen.readme.operation import answers

PATH = "README.md"


class Subject(NamedTuple):
    """What a README is about."""

    plan: Plan
    target: targets.Target
    findings: Iterable[Finding] = ()
    """Those of the check."""
    checklist: Iterable[str] = ()
    """What to look at in the account, in Markdown."""


Blocks = Iterable[str]
"""Markdown: paragraphs, tables and lists; empty ones are left out."""

SECTIONS: Final[Mapping[str, Callable[[Subject], Blocks]]] = {
    "What will exist": lambda it: (nodes.table(it.plan), nodes.totals(it.plan)),
    "Timetable": lambda it: timetable.paragraphs(it.plan),
    "Storage": lambda it: (storage.table(it.plan),),
    "Queues": lambda it: (nodes.queues(it.plan),),
    "Before you deploy": lambda it: _checklist(it.checklist),
    "Quotas": lambda it: (costs.needed_quotas(it.plan, it.target.traits),),
    "Cost": lambda it: costs.price(it.plan, it.target),
    "Monitoring": lambda it: monitoring.paragraphs(it.plan),
    "Decided by default": lambda it: (_decisions(it.plan),),
    "Known limits": lambda it: (known_limits(it.findings),),
    "Next steps": lambda it: (_numbered(it.target.steps(it.plan)),),
    "When something happens": lambda it: (answers(it.target.runbook(it.plan)),),
    "What stays": lambda it: what_stays.paragraphs(it.plan, it.target.runbook(it.plan)),
}
"""The sections by heading, in their order. A report shows them too."""


def render(
    plan: Plan, target: targets.Target, findings: Iterable[Finding], checklist: Iterable[str] = ()
) -> Artifact:
    """The README.md of the bundle of ``plan``; see :class:`Subject` for the others."""
    subject = Subject(plan, target, findings, checklist)
    blocks = [*_head(plan, target.title)]
    for heading in SECTIONS:
        if found := section(heading, subject):
            blocks += (f"## {heading}", *found)
    return Artifact(PATH, "\n\n".join(blocks) + "\n")


def section(heading: str, subject: Subject) -> list[str]:
    """The blocks of a section, without its heading; empty if there is nothing to say."""
    return list(filter(None, SECTIONS[heading](subject)))


def _head(plan: Plan, title: str) -> Blocks:
    zone = f", zone {plan.network.zone}" if plan.network.zone else ""
    yield f"# {escape(plan.name)} on {title}"
    yield (
        f"{escape(f'Region {plan.region}{zone}')}. Rendered by clustergen: change the spec and\n"
        "render again, rather than change these files."
    )


def _checklist(lines: Iterable[str]) -> Blocks:
    if items := "\n".join(f"- {line}" for line in lines):
        yield (
            "`clustergen preflight SPEC` asks AWS about these. Without it, look at them in the "
            "account and\nregion of the cluster:"
        )
        yield items


def _decisions(plan: Plan) -> str:
    return "\n".join(
        f"- {escape(decision.text)} ({spec_path(decision.path)})" for decision in plan.decisions
    )


def _numbered(steps: Sequence[str]) -> str:
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))

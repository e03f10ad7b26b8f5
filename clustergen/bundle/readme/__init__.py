"""The README.md of a bundle: resources, requirements, decisions and next steps."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clustergen import targets
from clustergen.base import pages
from clustergen.base.artifacts import Artifact
from clustergen.base.findings import Finding, Severity
from clustergen.bundle.readme import costs, monitoring, nodes, storage, what_stays
from clustergen.output import markdown_text
from clustergen.output.markdown_text import escape, spec_path
from clustergen.plan.model import Plan
from clustergen.plan.timetable import events, iso

PATH = "README.md"


class Subject(NamedTuple):
    plan: Plan
    target: targets.Target
    findings: Iterable[Finding] = ()
    """Those of the check."""
    checklist: Iterable[str] = ()
    """What to look at in the account, in Markdown."""


def render(subject: Subject) -> Artifact:
    """The README.md of a bundle."""
    return Artifact(PATH, _text(subject))


def sections(subject: Subject) -> dict[str, str]:
    """The text of each section, by heading. A report shows them too."""
    parts = (part.partition("\n\n") for part in _text(subject).split("\n\n## ")[1:])
    return {heading: text for heading, _, text in parts}


def _text(subject: Subject) -> str:
    plan, target = subject.plan, subject.target
    zone = f", zone {plan.network.zone}" if plan.network.zone else ""
    values = {
        **what_stays.values(plan),
        **target.values(plan),
        "checklist": list(subject.checklist),
        "monitoring": monitoring.values(plan),
        "name": escape(plan.name),
        "place": escape(f"Region {plan.region}{zone}"),
        "plan": plan,
        "timetable": _timetable(plan),
        "title": target.title,
        "sections": {name: "\n\n".join(filter(None, b)) for name, b in _sections(subject)},
    }
    return pages.render(target.page, values)


def _sections(subject: Subject) -> Iterator[tuple[str, Iterable[str]]]:
    """The blocks of sections that tables make; empty ones are left out."""
    plan, target = subject.plan, subject.target
    yield "existing", (nodes.table(plan), nodes.totals(plan))
    yield "storage", (storage.table(plan), storage.linked(plan))
    yield "queues", (nodes.queues(plan),)
    yield "quotas", (costs.needed_quotas(plan, target.traits),)
    yield "cost", costs.price(plan, target)
    yield "decisions", (_decisions(plan),)
    yield "limits", (_known_limits(subject.findings),)


def _timetable(plan: Plan) -> dict[str, str]:
    """The times in order, as a table, and as words for `date`; both are empty without dates."""
    found = events(plan)
    rows = [(f"{at:%a %Y-%m-%d %H:%M}", group, what) for at, group, what in found]
    return {
        "table": markdown_text.table(("UTC", "Nodes", "What happens"), rows),
        "times": " ".join(dict.fromkeys(iso(event.at) for event in found)),
    }


def _decisions(plan: Plan) -> str:
    return "\n".join(
        f"- {escape(decision.text)} ({spec_path(decision.path)})" for decision in plan.decisions
    )


def _known_limits(findings: Iterable[Finding]) -> str:
    """One item for each finding, warnings first, with the code for `explain`."""
    known = [finding for finding in findings if finding.severity is not Severity.ERROR]
    known.sort(key=lambda finding: finding.severity is Severity.NOTE)  # stable
    return "\n".join(dict.fromkeys(map(_item, known)))


def _item(finding: Finding) -> str:
    place = f" ({spec_path(finding.path)})" if finding.path else ""
    help = f"; {escape(finding.help)}" if finding.help else ""
    return f"- {finding.severity} {finding.code}: {escape(finding.message)}{help}{place}"

"""The README.md of a bundle: resources, requirements, decisions and next steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clustergen import targets
from clustergen.artifacts import Artifact
from clustergen.findings import Finding
from clustergen.plan.model import Plan
from clustergen.readme import costs, existing, monitoring, nodes, storage, what_stays
from clustergen.readme.known_limits import known_limits
from clustergen.readme.markdown import escape, spec_path
from clustergen.readme.operation import answers

PATH = "README.md"


def render(plan: Plan, target: targets.Target, findings: Iterable[Finding]) -> Artifact:
    """The README.md of the bundle of ``plan``; ``findings`` are those of the check."""
    blocks = (block for section in _sections(plan, target, findings) for block in section)
    return Artifact(PATH, "\n\n".join(block for block in blocks if block) + "\n")


def _sections(
    plan: Plan, target: targets.Target, findings: Iterable[Finding]
) -> Iterator[Iterator[str]]:
    yield _head(plan, target.title)
    yield _section("What will exist", nodes.table(plan), nodes.totals(plan))
    yield _section("Storage", storage.table(plan))
    yield _section("Queues", nodes.queues(plan))
    yield _section("Before you deploy", existing.requirements(plan))
    yield _section("Quotas", costs.quotas(plan, target.traits))
    yield _section("Cost", *costs.price(plan, target))
    yield _section("Monitoring", *monitoring.paragraphs(plan))
    yield _section("Decided by default", _decisions(plan))
    yield _section("Known limits", known_limits(findings))
    yield _section("Next steps", _numbered(target.steps(plan)))
    runbook = target.runbook(plan)
    yield _section("When something happens", answers(runbook))
    yield _section("What stays", *what_stays.paragraphs(plan, runbook))


def _head(plan: Plan, title: str) -> Iterator[str]:
    zone = f", zone {plan.network.zone}" if plan.network.zone else ""
    yield f"# {escape(plan.name)} on {title}"
    yield (
        f"{escape(f'Region {plan.region}{zone}')}. Rendered by clustergen: change the spec and\n"
        "render again, rather than change these files."
    )


def _section(heading: str, *blocks: str) -> Iterator[str]:
    """A heading and its blocks; nothing if they are empty."""
    if any(blocks):
        yield f"## {heading}"
        yield from blocks


def _decisions(plan: Plan) -> str:
    return "\n".join(
        f"- {escape(decision.text)} ({spec_path(decision.path)})" for decision in plan.decisions
    )


def _numbered(steps: Sequence[str]) -> str:
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))

"""Plans and findings of spec fragments, laid over the example spec, for this target."""

from __future__ import annotations

import functools
import json

from clustergen import features, rules, source, spec
from clustergen.findings import EXAMPLE_BASE, Finding
from clustergen.plan import build
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import TARGET


@functools.cache
def planned(fragment: str = "") -> tuple[Plan, tuple[Finding, ...]]:
    """The plan of a YAML fragment over the example spec, and what the planner found."""
    base, _ = source.read_text(EXAMPLE_BASE, "base.yaml")
    over, found = source.read_text(fragment or "{}", "fragment.yaml")
    assert base is not None
    assert over is not None, found
    document, _ = source.read_text(json.dumps(source.merge(base.data, over.data)), "merged.json")
    assert document is not None
    parsed, formal = spec.parse(document)
    assert parsed is not None, formal
    plan, more = build.build(parsed, TARGET.traits, document.written())
    assert plan is not None, more
    return plan, tuple(more)


def plan_of(fragment: str = "") -> Plan:
    return planned(fragment)[0]


def own_findings(fragment: str) -> list[Finding]:
    """What this target's rules say, and the shared rules that go by its limits."""
    plan = plan_of(fragment)
    return [*(finding for finding in rules.check(plan) if finding.target), *TARGET.check(plan)]


def every_finding(fragment: str) -> list[Finding]:
    """What planner, cross-target rules, features and this target's rules say."""
    plan, found = planned(fragment)
    return [
        *found,
        *rules.check(plan),
        *features.check(plan, TARGET.support, TARGET.title),
        *TARGET.check(plan),
    ]


def files(fragment: str = "") -> dict[str, str]:
    """The bundle by path, without README.md and foundation."""
    plan = plan_of(fragment)
    return {file.path: file.text for file in TARGET.emit(plan, TARGET.document(plan))}

"""What the compiler finds in a spec fragment, laid over the example spec."""

from __future__ import annotations

import json

from clustergen import rules, spec
from clustergen.findings import EXAMPLE_BASE, Finding
from clustergen.plan import build
from clustergen.plan.model import Plan
from clustergen.source import merge, read_text


def planned(fragment: str) -> tuple[Plan, list[Finding]]:
    """The plan of a YAML fragment over the example spec, and what the planner found."""
    base, _ = read_text(EXAMPLE_BASE, "base.yaml")
    over, found = read_text(fragment, "fragment.yaml")
    assert base is not None
    assert over is not None, found
    document, _ = read_text(json.dumps(merge(base.data, over.data)), "merged.json")
    assert document is not None
    parsed, found = spec.parse(document)
    assert parsed is not None, found
    plan, found = build.build(parsed, written=document.written())
    assert plan is not None, found
    return plan, found


def judged(fragment: str) -> list[Finding]:
    """Every finding of planner and cross-target rules, in the order they are made."""
    plan, found = planned(fragment)
    return [*found, *rules.check(plan)]


def codes(fragment: str) -> list[str]:
    return sorted(finding.code for finding in judged(fragment))


def lustre(fields: str) -> str:
    """A fragment with one Lustre file system."""
    return f"storage: [{{mount: /fsx, type: fsx-lustre, {fields}}}]"


def only(fragment: str) -> Finding:
    """The one finding that there must be."""
    (finding,) = judged(fragment)
    return finding

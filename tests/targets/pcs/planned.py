"""Specs and bundles for the tests of PCS, made from the parts of a spec that matter to them."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen import features, foundation, rules, source, spec
from clustergen.artifacts import Bundle
from clustergen.findings import EXAMPLE_BASE, Finding, errors
from clustergen.plan.build import build
from clustergen.plan.model import Plan
from clustergen.targets.pcs import TARGET


@functools.cache
def judged(text: str = "") -> tuple[Plan | None, tuple[Finding, ...]]:
    """The plan for PCS of `text`, laid over the smallest spec, and all that is said of it."""
    base, _ = source.read_text(EXAMPLE_BASE)
    over, _ = source.read_text(text or "{}")
    assert base is not None
    assert over is not None
    merged, _ = source.read_text(json.dumps(source.merge(base.data, over.data)))
    assert merged is not None
    parsed, findings = spec.parse(merged)
    if parsed is None:
        return None, tuple(findings)
    plan, more = build(parsed, TARGET.traits, merged.written())
    if plan is None:
        return None, (*findings, *more)
    own = (*features.check(plan, TARGET.support, TARGET.title), *TARGET.check(plan))
    return plan, (*findings, *more, *rules.check(plan), *own)


def plan_of(text: str = "") -> Plan:
    """The plan of a spec that nothing is to be said against."""
    plan, findings = judged(text)
    assert plan is not None, findings
    assert errors(findings) == []
    return plan


@functools.cache
def template_of(text: str = "") -> dict[str, Any]:
    """The cluster template of `text`, as it is read back from its JSON."""
    document: dict[str, Any] = json.loads(json.dumps(TARGET.document(plan_of(text))))
    return document


def bundle_of(text: str = "") -> Bundle:
    """All files for `text`, its foundation included."""
    plan = plan_of(text)
    base = foundation.emit(plan)
    return (*TARGET.emit(plan, TARGET.document(plan)), *([base] if base else []))


def properties_of(text: str, logical_id: str) -> dict[str, Any]:
    """The properties of one resource."""
    found: dict[str, Any] = template_of(text)["Resources"][logical_id]["Properties"]
    return found

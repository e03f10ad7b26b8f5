"""Plans for the tests of the foundation, made from the parts of a spec that matter to it."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen import foundation, source, spec
from clustergen.findings import EXAMPLE_BASE, errors
from clustergen.plan.build import build
from clustergen.plan.model import Plan


@functools.cache
def plan_of(text: str = "") -> Plan:
    """The plan of `text`, a spec fragment laid over the smallest spec; no target."""
    base, _ = source.read_text(EXAMPLE_BASE)
    over, _ = source.read_text(text or "{}")
    assert base is not None
    assert over is not None
    merged, _ = source.read_text(json.dumps(source.merge(base.data, over.data)))
    assert merged is not None
    parsed, findings = spec.parse(merged)
    assert parsed is not None, findings
    plan, more = build(parsed, written=merged.written())
    assert plan is not None, more
    assert errors(more) == []
    return plan


def template_of(text: str = "") -> dict[str, Any]:
    """The foundation template of `text`."""
    artifact = foundation.emit(plan_of(text))
    assert artifact is not None
    document: dict[str, Any] = json.loads(artifact.text)
    return document

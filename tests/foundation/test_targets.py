"""The foundation is the same for every target: a cluster can move, its data stays where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clustergen import foundation, resources, source, spec, targets
from clustergen.plan.build import build
from clustergen.plan.model import Plan
from tests.oracles.cloudformation import check, lint

SPECS = sorted(resources.tree("specs").glob("*.yaml"))


def plan_for(path: Path, target: str) -> Plan:
    document, findings = source.read([path])
    assert document is not None, findings
    parsed, formal = spec.parse(document)
    assert parsed is not None, formal
    plan, found = build(parsed, targets.load(target).traits, document.written())
    assert plan is not None, found
    return plan


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_target_has_the_same(path: Path) -> None:
    plans = [plan_for(path, target) for target in targets.NAMES]
    first, *others = [foundation.emit(plan) for plan in plans]
    assert first is not None
    assert all(other == first for other in others)
    template = json.loads(first.text)
    assert check(template, plans[0].region) == []
    assert lint({path.stem: first.text}, [plans[0].region]) == []

"""Document rules: every rendered document satisfies those of its target."""

from __future__ import annotations

import json

import pytest

from clustergen import compiler, resources, targets
from clustergen.findings import errors
from tests.checking import broken

SPECS = sorted(resources.tree("specs").glob("*.yaml"))
TARGETS = [name for name in targets.NAMES if targets.load(name).document_rules]


@pytest.mark.parametrize("target", TARGETS)
def test_rendered_documents_satisfy_the_rules(target: str) -> None:
    rendered = 0
    for spec in SPECS:
        checked = compiler.check([spec], targets=[target])
        if not errors(checked.findings):
            document = targets.load(target).document(checked.plans[target])
            found = broken(target, json.loads(json.dumps(document)))
            assert [f"{spec.stem}: {f.code} {f.message}" for f in found] == []
            rendered += 1
    assert rendered > 1

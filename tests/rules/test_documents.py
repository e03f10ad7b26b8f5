"""Document rules: every rendered document satisfies those of its target."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from clustergen import targets
from clustergen.base import discovery, resources
from clustergen.base.findings import errors
from clustergen.checking import compiler
from tests.support.checking import broken, check_fragment

SPECS = sorted(resources.tree("specs").glob("*.yaml"))
TARGETS = [name for name in targets.NAMES if targets.load(name).document_rules]


@pytest.mark.parametrize("target", TARGETS)
def test_rendered_documents_satisfy_the_rules(target: str) -> None:
    rendered = 0
    for spec in SPECS:
        checked = compiler.check([spec], targets=[target])
        # Groups that are added to a cluster with Slurm have no controller among them: rules for
        # documents report only what an overlay breaks.
        joined = target == "hyperpod-slurm" and checked.plans[target].existing.named
        if not errors(checked.findings) and not joined:
            document = targets.load(target).document(checked.plans[target])
            found = broken(target, json.loads(json.dumps(document)))
            assert [f"{spec.stem}: {f.code} {f.message}" for f in found] == []
            rendered += 1
    assert rendered > 1


RICH = {
    "eks": """
monitoring: {metrics: managed-prometheus}
kubernetes: {admins: ['arn:aws:iam::111122223333:role/a']}
node_groups:
  - {name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
  - {name: spot, instance_types: [m7i.4xlarge, m6i.4xlarge], count: 2, capacity: spot}
"""
}
"""What gives a template more kinds of resources than the first example has."""
WRONG: tuple[Any, ...] = (5, "text", None, [], {}, [5], {"a": None}, {"Ref": 1}, {"Fn::GetAtt": []})


def wrong_forms(document: Any, depth: int) -> Iterator[Any]:
    """Copies of a document, each with something of another form at one place."""
    yield from WRONG
    if depth == 0:
        return
    if isinstance(document, dict):
        for key, value in document.items():
            yield from ({**document, key: other} for other in wrong_forms(value, depth - 1))
    elif isinstance(document, list) and document:
        yield from ([other, *document[1:]] for other in wrong_forms(document[0], depth - 1))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
def test_document_rules_accept_any_overlay(target: str) -> None:
    """The schema reports a wrong form; the rules must not fail on it."""
    examples = (compiler.check([spec], targets=[target]) for spec in SPECS)
    rich = (check_fragment(text, name) for name, text in RICH.items() if name == target)
    tried = (each for each in itertools.chain(rich, examples) if target in each.plans)
    checked = next(each for each in tried if not errors(each.findings))
    document = json.loads(json.dumps(targets.load(target).document(checked.plans[target])))
    rules = discovery.rules(targets.load(target).document_rules)
    for wrong in wrong_forms(document, 7):
        if isinstance(wrong, dict):
            for rule in rules:
                list(rule.find(wrong))

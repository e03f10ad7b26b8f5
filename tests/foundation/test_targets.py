"""The foundation is the same for every target: a cluster can move, its data stays where it is."""

from __future__ import annotations

import json

import pytest

from clustergen import foundation, targets
from tests.checking import EXAMPLES, check_example, faults
from tests.oracles.cloudformation import check, lint


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_target_has_the_same(name: str) -> None:
    plans = [check_example(name, target).plans[target] for target in targets.NAMES]
    first, *others = [foundation.emit(plan) for plan in plans]
    assert first is not None
    assert all(other == first for other in others)


def test_validators_accept_it_where_no_target_takes_the_spec() -> None:
    """`tests/test_specs.py` validators the others, with the rest of their bundles."""
    answers = [[check_example(name, target) for target in targets.NAMES] for name in EXAMPLES]
    untaken = [every[0].plans[targets.NAMES[0]] for every in answers if all(map(faults, every))]
    assert untaken
    for plan in untaken:
        made = foundation.emit(plan)
        assert made is not None
        assert check(json.loads(made.text), plan.region) == []
        assert lint({plan.name: made.text}, [plan.region]) == []

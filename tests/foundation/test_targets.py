"""The foundation is the same for every target: a cluster can move, its data stays where it is."""

from __future__ import annotations

import json

import pytest

from clustergen import foundation, targets
from tests.checking import EXAMPLES, check_example
from tests.oracles.cloudformation import check, lint


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_target_has_the_same(name: str) -> None:
    plans = [check_example(name, target).plans[target] for target in targets.NAMES]
    first, *others = [foundation.emit(plan) for plan in plans]
    assert first is not None
    assert all(other == first for other in others)
    template = json.loads(first.text)
    assert check(template, plans[0].region) == []
    assert lint({name: first.text}, [plans[0].region]) == []

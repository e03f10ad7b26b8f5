"""A deployed spec that today's rules reject is compared where it renders, and never ends a diff."""

import pytest

from clustergen.analysis.diff.sides import Spec
from clustergen.base.findings import Rule
from clustergen.checking import registry
from tests.support.checking import check_fragment

REJECTED = [rule for rule in registry.every() if rule.bad and not rule.calls]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["parallelcluster", "pcs", "hyperpod-eks", "eks", "batch"])
def test_it_renders_or_has_no_bundle(target: str) -> None:
    rendered = 0
    for rule in (each for each in REJECTED if _concerns(each, target)):
        checked = check_fragment(rule.bad, target)
        if target in checked.plans and checked.blocking(target):
            rendered += Spec(rule.code, None, checked, past=True).files(target) is not None
    assert rendered


def _concerns(rule: Rule, target: str) -> bool:
    """Those of the target; EKS stands for all where a rule names none."""
    return rule.target == target or (not rule.target and target == "eks")

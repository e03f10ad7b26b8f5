"""Every rendered file against validators that this project did not write."""

from __future__ import annotations

import pytest

from tests.targets.pcs.planned import files_of, plan_of
from tests.targets.pcs.specs import SPECS
from tests.validators.bundle import bundle_violations
from tests.validators.parallelcluster import ParallelCluster


@pytest.mark.sampled(8)
@pytest.mark.parametrize("text", SPECS.values(), ids=SPECS)
def test_the_bundle_is_accepted(text: str, parallelcluster: ParallelCluster) -> None:
    plan = plan_of(text)
    assert bundle_violations(files_of(text), parallelcluster, plan.region, plan.name) == []

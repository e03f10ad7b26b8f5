"""Every rendered file against validators that this project did not write."""

import pytest

from tests.support.checking import Fragments
from tests.targets.hyperpod_eks import new_cluster, planned, specs
from tests.targets.hyperpod_eks.test_new_cluster import SPECS as OF_NEW_CLUSTERS
from tests.targets.pcs.planned import PCS
from tests.targets.pcs.specs import SPECS as OF_PCS
from tests.validators.bundle import bundle_violations
from tests.validators.parallelcluster import ParallelCluster

CASES = {
    f"{kind}: {name}": (fragments, text)
    for kind, fragments, texts in (
        ("pcs", PCS, OF_PCS),
        ("hyperpod-eks", planned.HYPERPOD, specs.SPECS),
        ("hyperpod-eks, new cluster", new_cluster.HYPERPOD, OF_NEW_CLUSTERS),
    )
    for name, text in texts.items()
}


@pytest.mark.sampled(len(CASES))
@pytest.mark.parametrize(("fragments", "text"), CASES.values(), ids=CASES)
def test_the_bundle_is_accepted(
    fragments: Fragments, text: str, parallelcluster: ParallelCluster
) -> None:
    plan, files = fragments.plan(text), fragments.files(text)
    assert bundle_violations(files, parallelcluster, plan.region, plan.name) == []

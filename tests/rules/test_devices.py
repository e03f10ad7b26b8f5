"""Health checks of nodes without GPUs, on every target."""

import pytest

from tests.support.checking import Fragments

TARGETS = ("parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks", "eks")
CHECKED = "node_groups: [{{name: h200, instance_type: {}, health_checks: [gpu]}}]"


def codes(target: str, type: str) -> set[str]:
    found = Fragments(target).findings(CHECKED.format(type))
    return {finding.code for finding in found if finding.code.startswith("GPU")}


@pytest.mark.parametrize("target", TARGETS)
def test_no_target_checks_gpus_that_are_not_there(target: str) -> None:
    assert codes(target, "m7i.4xlarge") == {"GPU004"}
    assert codes(target, "p5.48xlarge") == set()


def test_parallelcluster_checks_only_gpus_of_nvidia() -> None:
    found = {target: codes(target, "trn1.32xlarge") for target in TARGETS}
    assert found == {name: set() for name in TARGETS} | {"parallelcluster": {"GPU100"}}

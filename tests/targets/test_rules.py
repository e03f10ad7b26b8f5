"""The codes of each target's own rules. Their examples are run by `tests/rules/`."""

import pytest

from clustergen import targets
from clustergen.base import discovery
from tests.support.checking import Fragments

# What is between: 3xx and below 350 are the rules of both targets of HyperPod.
CODES = {
    "parallelcluster": range(100, 200),
    "pcs": range(200, 300),
    "hyperpod-slurm": range(350, 400),
    "hyperpod-eks": range(400, 450),
    "eks": range(500, 600),
    "batch": range(600, 700),
}


def test_every_target_has_codes() -> None:
    assert set(CODES) == set(targets.NAMES)


@pytest.mark.parametrize("target", CODES)
def test_codes_are_of_their_target(target: str) -> None:
    package = f"clustergen.targets.{target.replace('-', '_')}.rules"
    for rule in discovery.rules_below(package):
        assert rule.target == target
        assert int(rule.code[3:]) in CODES[target]


@pytest.mark.parametrize(
    ("target", "guide"),
    [("pcs", "/pcs/"), ("eks", "/eks/"), ("hyperpod-eks", "hyperpod-eks"), ("batch", "/batch/")],
)
def test_the_source_of_a_controller_is_that_of_its_service(target: str, guide: str) -> None:
    found = Fragments(target).checked("head_node: {instance_type: m7i.4xlarge}").findings
    [note] = [finding.note for finding in found if finding.code == "LIM009"]
    assert guide in note

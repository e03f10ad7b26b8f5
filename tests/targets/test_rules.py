"""The codes of each target's own rules. Their examples are run by `tests/rules/`."""

from __future__ import annotations

import pytest

from clustergen import discovery, targets

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

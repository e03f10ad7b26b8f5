"""Quotas that a plan counts against, compared with what is rendered."""

import re

import pytest

from clustergen.plan.quotas import of_storage
from tests.support.checking import Fragments

# Node groups whose nodes are EC2 instances, and nodes beside them; none of HyperPod's.
NODES = {"batch": 40, "eks": 40 + 2, "pcs": 40, "hyperpod-eks": 2, "hyperpod-slurm": 0}


@pytest.mark.parametrize("target", NODES)
def test_volumes_are_counted_as_they_are_rendered(target: str) -> None:
    fragments, text = Fragments(target), "node_groups: [{name: h200, count: 40}]"
    sizes = re.findall(r'"VolumeSize": (\d+)', "".join(fragments.files(text).values())) or [0]
    [size] = map(int, set(sizes))
    counted = [need.amount for need in of_storage(fragments.plan(text)) if need.service == "ebs"]
    assert counted == ([-(-size * NODES[target] // 1024)] if size else [])

"""The support matrix of each target: a row for every feature, with source and help."""

from typing import get_args

import pytest

from clustergen import targets
from clustergen.plan.features import FEATURES, Level
from tests.support.checking import found

PC, EKS = "parallelcluster", "eks"
# Words that introduce help.
WAYS = ("take ", "leave ", "write ", "use ", "remove ")


@pytest.mark.parametrize("target", targets.NAMES)
def test_every_feature_has_a_row_with_an_explanation_and_a_source(target: str) -> None:
    assert set(targets.load(target).support) == {feature.id for feature in FEATURES}
    # What only ParallelCluster's code shows is cited by its module.
    cited = ("https://", "pcluster.") if target == PC else "https://"
    for feature, answer in targets.load(target).support.items():
        assert answer.level in get_args(Level), feature
        assert answer.how, feature
        assert answer.source.startswith(cited), feature
        shows_help = any(way in answer.how for way in WAYS)
        assert target != EKS or answer.level != "none" or shows_help, feature


# What the help of HyperPod with Slurm names: the capacity that it has, or who can do it.
WAYS_OUT = [
    ("node_groups: [{name: h200, capacity: spot}]", "hyperpod-eks"),
    ("node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]", "training_plan"),
    ("node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d}}]", "training_plan"),
    ("node_groups: [{name: h200, placement: {group: held}}]", "parallelcluster"),
    ("node_groups: [{name: h200, count: {min: 0, max: 4}}]", "count: N"),
    ("node_groups: [{name: h200, mig: {1g.18gb: 7}}]", "pcs"),
    ("node_groups: [{name: h200, instance_type: inf2.48xlarge}]", "Trainium"),
    ("node_groups: [{name: h200, instance_type: hpc7a.96xlarge}]", "parallelcluster"),
    ("storage: [{mount: /apps, type: ebs, size: 100GiB}]", "fsx-openzfs"),
    ("slurm: {version: '25.11'}", "remove slurm.version"),
    ("monitoring: {metrics: self-hosted}", "managed-prometheus"),
    ("queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]}]", "separate"),
]


@pytest.mark.parametrize(("text", "way_out"), WAYS_OUT)
def test_a_rejection_has_help(text: str, way_out: str) -> None:
    helps = [f.help for f in found(text, "hyperpod-slurm") if f.code == "SUP001"]
    assert helps
    assert all(way_out in help for help in helps), helps

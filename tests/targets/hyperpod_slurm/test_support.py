"""HyperPod with Slurm answers for every feature, with a source and a way out."""

from __future__ import annotations

import pytest

from clustergen.features import FEATURES
from clustergen.targets.hyperpod_slurm import TARGET
from tests.targets.hyperpod_slurm.planned import judged


def test_every_feature_has_an_answer_and_no_other() -> None:
    assert set(TARGET.support) == {feature.id for feature in FEATURES}


@pytest.mark.parametrize("feature", TARGET.support)
def test_answer_says_how_and_where_from(feature: str) -> None:
    answer = TARGET.support[feature]
    assert answer.how
    assert answer.source.startswith("https://")


# What the way out names: the capacity that HyperPod has, or who can do it.
WAYS_OUT: list[tuple[str, str]] = [
    ("node_groups: [{name: h200, capacity: spot}]", "hyperpod-eks"),
    ("node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]", "training_plan"),
    (
        "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
        "training_plan",
    ),
    ("node_groups: [{name: h200, placement: {group: mine}}]", "parallelcluster"),
    ("node_groups: [{name: h200, count: {min: 0, max: 4}}]", "count: N"),
    ("node_groups: [{name: h200, mig: {1g.18gb: 7}}]", "pcs"),
    ("node_groups: [{name: h200, instance_type: inf2.48xlarge}]", "Trainium"),
    ("node_groups: [{name: h200, instance_type: hpc7a.96xlarge}]", "parallelcluster"),
    ("storage: [{mount: /apps, type: ebs, size: 100GiB}]", "fsx-openzfs"),
    ("slurm: {version: '25.11'}", "leave slurm.version out"),
    ("monitoring: {dashboards: managed-grafana}", "cloudwatch"),
    ("queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]}]", "group of its"),
]


@pytest.mark.parametrize(("text", "way_out"), WAYS_OUT)
def test_what_it_cannot_do_is_refused_with_the_way_out(text: str, way_out: str) -> None:
    helps = [f.help for f in judged(text).findings if f.code == "SUP001"]
    assert helps
    assert all(way_out in help for help in helps), helps

"""HyperPod with EKS answers for every feature, with a source."""

from __future__ import annotations

import pytest

from clustergen.features import FEATURES
from clustergen.targets.hyperpod_eks import TARGET
from tests.targets.hyperpod_eks.planned import judged


def test_every_feature_has_an_answer_and_no_other() -> None:
    assert set(TARGET.support) == {feature.id for feature in FEATURES}


@pytest.mark.parametrize("feature", TARGET.support)
def test_answer_says_how_and_where_from(feature: str) -> None:
    answer = TARGET.support[feature]
    assert answer.how
    assert answer.source.startswith("https://")


PLAIN = "node_groups: [{name: h200, instance_type: m7i.4xlarge}]\n"


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]", "error"),
        ("node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]", "error"),
        ("node_groups: [{name: h200, placement: {group: held}}]", "error"),
        ("node_groups: [{name: h200, placement: cluster}]", None),
        ("node_groups: [{name: h200, instance_type: m7i.4xlarge, capacity: spot}]", None),
        (PLAIN + "login: {}", "note"),
        (PLAIN + "users: [{name: alice, uid: 2001}]", "note"),
        (PLAIN + "slurm: {version: '25.11'}", "note"),
        (PLAIN + "software: {containers: pyxis}", "note"),
        (PLAIN + "storage: [{mount: /apps, type: ebs, size: 100GiB}]", "error"),
        (PLAIN + "resilience: {auto_resume: true}", None),
        (PLAIN + "kubernetes: {version: '1.35'}", None),
    ],
)
def test_what_is_not_done_is_said(text: str, severity: str | None) -> None:
    said = [f.severity for f in judged(text).findings if f.code.startswith("SUP")]
    assert said == ([severity] if severity else [])

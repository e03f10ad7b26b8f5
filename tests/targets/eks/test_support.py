"""EKS answers for every feature, with a source."""

from __future__ import annotations

import pytest

from clustergen.features import FEATURES
from clustergen.targets.eks import TARGET
from tests.checking import found


def test_every_feature_has_an_answer_and_no_other() -> None:
    assert set(TARGET.support) == {feature.id for feature in FEATURES}


@pytest.mark.parametrize("feature", TARGET.support)
def test_answer_says_how_and_where_from(feature: str) -> None:
    answer = TARGET.support[feature]
    assert answer.how
    assert answer.source.startswith("https://")
    # Whoever is refused is told the way out.
    ways = ("take ", "leave ", "write ")
    assert answer.level != "none" or any(way in answer.how for way in ways)


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]", None),
        ("node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]", None),
        ("node_groups: [{name: h200, capacity: {interruptible_reservation: cr-0a1b2c3d}}]",
         "error"),
        ("node_groups: [{name: h200, placement: {group: held}}]", None),
        ("node_groups: [{name: h200, health_checks: [multi-node]}]", "error"),
        ("storage: [{mount: /apps, type: ebs, size: 100GiB}]", "error"),
        ("login: {}", "note"),
        ("users: [{name: alice, uid: 2001}]", "note"),
        ("slurm: {version: '25.11'}", "note"),
        ("software: {containers: pyxis}", "note"),
        ("kubernetes: {version: '1.35'}", None),
    ],
)  # fmt: skip
def test_what_is_not_done_is_said(text: str, severity: str | None) -> None:
    said = [f.severity for f in found(text, "eks") if f.code.startswith("SUP")]
    assert said == ([severity] if severity else [])

"""PCS answers for every feature, with a source."""

from __future__ import annotations

import pytest

from clustergen.features import FEATURES
from clustergen.targets.pcs import TARGET
from tests.targets.pcs.planned import judged


def test_every_feature_has_an_answer_and_no_other() -> None:
    assert set(TARGET.support) == {feature.id for feature in FEATURES}


@pytest.mark.parametrize("feature", TARGET.support)
def test_answer_says_how_and_where_from(feature: str) -> None:
    answer = TARGET.support[feature]
    assert answer.how
    assert answer.source.startswith("https://")


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("node_groups: [{name: h200, threads_per_core: 2}]", "error"),
        ("node_groups: [{name: h200, health_checks: [instance-stress]}]", "error"),
        ("node_groups: [{name: h200, health_checks: [gpu]}]", "note"),
        ("storage: [{mount: /apps, type: ebs, size: 100GiB}]", "error"),
        ("monitoring: {dashboards: managed-grafana}", "error"),
        ("kubernetes: {version: '1.35'}", "note"),
        ("head_node: {instance_type: m7i.xlarge}", None),
        ("resilience: {auto_resume: true}", "note"),
    ],
)
def test_what_is_not_done_is_said(text: str, severity: str | None) -> None:
    said = [f.severity for f in judged(text)[1] if f.code.startswith("SUP")]
    assert said == ([severity] if severity else [])

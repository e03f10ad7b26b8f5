"""The support table: complete, sourced, and true to what the emitter does."""

from __future__ import annotations

import pytest

from clustergen.features import FEATURES
from clustergen.targets.parallelcluster import TARGET


def test_every_feature_has_an_answer() -> None:
    assert list(TARGET.support) == [feature.id for feature in FEATURES]


@pytest.mark.parametrize("feature", TARGET.support)
def test_every_answer_says_how_and_where_from(feature: str) -> None:
    answer = TARGET.support[feature]
    assert answer.how
    assert answer.source.startswith(("https://", "pcluster."))

"""What metrics cost, by the formula of samples."""

from __future__ import annotations

import pytest

from clustergen.monitoring.cost import cost, node_series, samples_of, usd_of
from tests.monitoring.planned import plan_of


@pytest.mark.parametrize(
    ("nodes", "million", "usd"), [(1, 100.57, 9.05), (16, 1609.11, 144.82), (128, 12872.91, 560.55)]
)
def test_nodes_of_1164_series(nodes: int, million: float, usd: float) -> None:
    samples = samples_of(1164 * nodes)
    assert samples / 1e6 == pytest.approx(million, abs=0.01)
    assert usd_of(samples) == pytest.approx(usd, abs=0.01)


def test_half_as_often_is_half_as_much() -> None:
    assert samples_of(100, 60) * 2 == samples_of(100, 30)


def test_the_last_tier() -> None:
    assert usd_of(262e9) == pytest.approx(180 + 8750 + 160)


def test_a_whole_cluster() -> None:
    plan = plan_of("p5en-capacity-block", "pcs")
    [group] = plan.node_groups
    found = cost(plan)
    assert found.series == 64 * node_series(plan, group)
    assert found.usd == usd_of(samples_of(found.series))

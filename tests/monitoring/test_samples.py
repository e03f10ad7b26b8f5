"""How many samples the metrics of a cluster are."""

from __future__ import annotations

from clustergen.monitoring.samples import node_series, series
from tests.monitoring.planned import plan_of


def test_a_whole_cluster() -> None:
    plan = plan_of("p5en-capacity-block", "pcs")
    [group] = plan.node_groups
    assert series(plan) == (64 * node_series(plan, group),) * 2


def test_nodes_that_come_and_go() -> None:
    plan = plan_of("eks-karpenter", "eks")
    least, most = series(plan)
    assert least == 0 < most

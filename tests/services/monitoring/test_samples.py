"""How many samples the metrics of a cluster are."""

import pytest

from clustergen.services.monitoring.samples import cloudwatch_metrics, node_series, series
from tests.services.monitoring.planned import plan_of
from tests.support.checking import check

WATCHED = """version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
login: {instance_type: m6i.xlarge, count: 2}
node_groups: [{name: g, instance_type: g6e.48xlarge, count: 4}]
monitoring: {metrics: cloudwatch}
"""


def test_a_whole_cluster() -> None:
    plan = plan_of("p5en-capacity-block", "pcs")
    [group] = plan.node_groups
    assert series(plan) == (64 * node_series(plan, group),) * 2


def test_nodes_that_come_and_go() -> None:
    plan = plan_of("eks-karpenter", "eks")
    least, most = series(plan)
    assert least == 0 < most


@pytest.mark.parametrize(
    ("target", "others"), [("parallelcluster", 1), ("pcs", 2), ("hyperpod-slurm", 3)]
)
def test_cloudwatch_counts_head_and_login_nodes(target: str, others: int) -> None:
    plan = check(WATCHED, target=target).plans[target]
    each, most = cloudwatch_metrics(plan)
    assert most == each * (plan.max_nodes + others + 1)

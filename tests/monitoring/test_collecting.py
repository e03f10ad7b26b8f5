"""What nodes measure feeds the rules of their cluster."""

from __future__ import annotations

import pytest

from clustergen.monitoring.sources import Source, sources
from clustergen.slurm import collecting
from tests.monitoring.planned import plan_of


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_a_login_or_head_node_measures_what_is_the_same_everywhere(target: str) -> None:
    plan = plan_of("p5en-capacity-block", target)
    machine = plan.head or plan.login
    assert machine
    words = collecting.machine_arguments(plan, "head", machine)
    assert {Source.BLOCK, Source.RESERVATION, Source.LUSTRE} <= sources(plan)
    assert "--lustre-targets" in words
    asked = words[words.index("--reservation") :]
    assert asked == ["--reservation", "cr-0a1b2c3d4e5f67890", "--region", "us-east-2"]


def test_a_compute_node_knows_its_price() -> None:
    plan = plan_of("p6-b200-reservation", "parallelcluster")
    words = collecting.compute_arguments(plan, plan.node_groups)
    prices = {type.price_usd_hour for type in plan.instance_types}
    assert ("--usd-per-hour" in words) == (len(prices) == 1 and None not in prices)
    assert "--lustre-targets" not in words

"""What nodes measure feeds the rules of their cluster."""

from __future__ import annotations

import pytest

from clustergen.catalog import prices, regions
from clustergen.monitoring.sources import Source, sources
from clustergen.slurm import collecting
from tests.checking import Fragments
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


@pytest.mark.parametrize(
    ("target", "zone", "price"),
    [
        ("pcs", "use1-az4", "EC2 g6e.48xlarge us-east-1"),
        ("parallelcluster", "euc1-az2", "EC2 g6e.48xlarge eu-central-1"),
        ("hyperpod-slurm", "use1-az4", "HyperPod ml.g6e.48xlarge us-east-1"),
    ],
)
def test_a_compute_node_knows_the_price_of_its_region(target: str, zone: str, price: str) -> None:
    region = regions.region_of_zone(zone)
    plan = Fragments(target, f"version: 1\nname: a\nregion: {region}\n").faulty_plan(
        f"network: {{zone: {zone}}}\n"
        "node_groups: [{name: g, instance_type: g6e.48xlarge, count: 1}]"
    )
    words = collecting.compute_arguments(plan, plan.node_groups)
    name, _, place = price.rpartition(" ")
    expected = prices.RECORDED.find(name, place)
    assert expected
    assert words[words.index("--usd-per-hour") + 1] == str(expected.usd)
    assert "--lustre-targets" not in words

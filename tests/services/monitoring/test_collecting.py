"""What nodes measure feeds the rules of their cluster."""

from dataclasses import replace
from itertools import pairwise

import pytest

from clustergen.facts.catalog import prices, regions
from clustergen.services.monitoring import rules
from clustergen.services.monitoring.sources import Source, prices_by_type, sources
from clustergen.services.slurm import collecting
from clustergen.targets.pcs import limits
from tests.services.monitoring.planned import plan_of
from tests.support.checking import Fragments


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_a_login_or_head_node_measures_what_is_the_same_everywhere(target: str) -> None:
    plan = plan_of("p5en-capacity-block", target)
    machine = plan.head or plan.login
    assert machine
    words = collecting.machine_arguments(plan, "head", machine)
    assert {Source.BLOCK, Source.RESERVATION, Source.LUSTRE} <= sources(plan)
    assert "--lustre-targets" in words
    asked = words[words.index("--reservations") :]
    assert asked == ["--reservations", "cr-0a1b2c3d4e5f67890", "--region", "us-east-2"]


PRICES = [
    ("pcs", "use1-az4", "EC2 g6e.48xlarge us-east-1"),
    ("parallelcluster", "euc1-az2", "EC2 g6e.48xlarge eu-central-1"),
    ("hyperpod-slurm", "use1-az4", "HyperPod ml.g6e.48xlarge us-east-1"),
]


@pytest.mark.parametrize(("target", "zone", "price"), PRICES)
def test_rules_have_the_price_of_the_region(target: str, zone: str, price: str) -> None:
    base = f"version: 1\nname: a\nregion: {regions.region_of_zone(zone)}\n"
    nodes = "node_groups: [{name: g, instance_type: g6e.48xlarge, count: 1}]"
    plan = Fragments(target, base).faulty_plan(f"network: {{zone: {zone}}}\n{nodes}")
    name, _, place = price.rpartition(" ")
    expected = prices.RECORDED.find(name, place)
    assert expected
    assert prices_by_type(plan) == {"g6e.48xlarge": expected.usd}
    [rule, *_] = rules.rule_groups(plan)["capacity"]["groups"][0]["rules"]
    assert rule["record"] == "node:price:usd_per_hour"
    assert f"{expected.usd} * clustergen_node_info{{cluster=" in str(rule["expr"])


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_a_new_price_replaces_no_node(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nodes are started with differs in nothing."""

    def started() -> dict[str, str]:
        plan = plan_of("p5en-capacity-block", target)
        machine = plan.head or plan.login
        assert machine
        compute = collecting.compute_arguments(plan, plan.node_groups)
        head = collecting.machine_arguments(plan, "head", machine)
        nodes = f"{compute} {head} {collecting.script(plan, linger=0)}"
        return {"rules": str(rules.rule_groups(plan)), "nodes": nodes}

    before = started()
    find = prices.RECORDED.find

    def doubled(_: object, name: str, place: str) -> prices.Price | None:
        found = find(name, place)
        return replace(found, usd=2 * found.usd) if found else None

    monkeypatch.setattr(type(prices.RECORDED), "find", doubled)
    after = started()
    assert (before["nodes"], before["rules"] != after["rules"]) == (after["nodes"], True)


OF_TYPES = [
    ("g6e.48xlarge", {"--gpus": "8", "--efa": "4", "--instance-type": "g6e.48xlarge"}),
    ("g6e.48xlarge, g6e.12xlarge", {}),
    ("g6e.4xlarge, g6.4xlarge", {"--gpus": "1"}),
    ("trn2.48xlarge", {"--neuron": "16", "--efa": "16", "--instance-type": "trn2.48xlarge"}),
]


@pytest.mark.parametrize(("types", "expected"), OF_TYPES)
def test_a_node_is_not_missed_what_its_type_does_not_have(
    types: str, expected: dict[str, str]
) -> None:
    group = f"node_groups: [{{name: own, instance_types: [{types}], count: 2, efa: false}}]"
    plan = Fragments("hyperpod-slurm").faulty_plan(group)
    words = collecting.compute_arguments(plan, plan.node_groups[1:])
    found = dict(pairwise(words))
    names = ("--gpus", "--neuron", "--efa", "--instance-type")
    assert {n: found[n] for n in names if n in found} == expected


@pytest.mark.parametrize("count", [1, 6, 15])
def test_pcs_accepts_the_arguments_with_many_mounts(count: int) -> None:
    """At most 20 of at most 256 characters; cfn-lint knows the number alone."""
    long = "/shared-shared-shared-shared-"
    efs = "{{mount: {0}{1:02}, type: efs, existing: {{id: fs-0123456789abcde{1:02}}}}}"
    each = ", ".join(efs.format(long, n) for n in range(count))
    plan = Fragments("pcs").faulty_plan(f"storage: [{each}]")
    groups = [collecting.compute_arguments(plan, (group,)) for group in plan.node_groups]
    for words in groups:
        assert len(words) + 2 <= limits.MAX_ARGUMENTS
        assert max(map(len, words)) <= limits.MAX_ARGUMENT_LENGTH
        lists = [text for word, text in pairwise(words) if word == "--mounts"]
        assert ":".join(lists).split(":") == [item.mount for item in plan.storage]

"""Amounts of bills, against examples that were computed apart from the code."""

import pytest

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.facts.catalog import blocks, regions
from clustergen.facts.catalog.prices import RECORDED
from clustergen.services.cost.monitoring import HOUR_SECONDS, samples
from clustergen.services.cost.pricing import Prices
from tests.services.cost.bills import HEAD, bill, bill_of, line

DAYS = 24
MONTH = 730

# nodes, target, region, hours, USD
NODES = [
    ("16 p5en.48xlarge on-demand", "parallelcluster", "us-east-1", 14 * DAYS, 340_279.30),
    ("16 p5en.48xlarge on-demand", "pcs", "us-west-2", 14 * DAYS, 340_279.30),
    ("16 p5en.48xlarge on-demand", "eks", "us-west-1", 14 * DAYS, 425_349.12),
    ("16 p5en.48xlarge block", "eks", "us-east-1", 14 * DAYS, 339_537.41),
    ("16 p5en.48xlarge on-demand", "hyperpod-slurm", "us-east-1", 14 * DAYS, 408_335.16),
    ("16 p5en.48xlarge plan", "hyperpod-slurm", "us-east-1", 14 * DAYS, 390_468.02),
    ("16 p5e.48xlarge block", "pcs", "us-east-2", 14 * DAYS, 295_292.93),
    ("16 p5e.48xlarge plan", "hyperpod-eks", "us-east-2", 14 * DAYS, 339_586.87),
    ("8 p5.48xlarge on-demand", "hyperpod-slurm", "us-east-1", 30 * DAYS, 380_436.48),
    ("8 p5.48xlarge on-demand", "parallelcluster", "us-east-1", 30 * DAYS, 317_030.40),
    ("18 p6e-gb200.36xlarge block", "eks", "use1-dfw2-az1", 7 * DAYS, 127_999.87),
    ("9 p6e-gb200.36xlarge block", "eks", "use1-dfw2-az1", 7 * DAYS, 127_999.87 / 2),
    ("64 hpc7a.96xlarge on-demand", "pcs", "us-east-2", 40, 18_432.00),
    ("8 g6e.48xlarge on-demand", "eks", "eu-central-1", MONTH, 220_028.54),
    ("8 g6e.48xlarge on-demand", "eks", "eu-north-1", MONTH, 186_650.78),
    ("8 g6e.48xlarge on-demand", "eks", "eu-south-2", MONTH, 185_421.58),
    ("4 p4d.24xlarge reservation", "pcs", "us-east-1", 10 * DAYS, 21_079.34),
    ("4 p4d.24xlarge on-demand", "pcs", "us-east-1", 4 * DAYS, 8_431.73),
    ("4 p4d.24xlarge block", "pcs", "us-east-1", 4 * DAYS, 5_210.11),
    ("64 p6-b300.48xlarge block", "pcs", "us-west-2", 28 * DAYS, 5_555_257.34),
    ("64 p6-b300.48xlarge on-demand", "pcs", "us-west-2", 28 * DAYS, 6_125_027.33),
    ("32 p6-b200.48xlarge block", "pcs", "us-east-2", 28 * DAYS, 2_444_230.66),
    ("32 p6-b200.48xlarge block", "pcs", "us-east-2", 30 * DAYS, 3_055_288.32),
    ("32 p6-b200.48xlarge reservation", "pcs", "us-east-2", 30 * DAYS, 2_625_011.71),
]


@pytest.mark.parametrize(("nodes", "target", "region", "hours", "usd"), NODES)
def test_nodes(nodes: str, target: str, region: str, hours: int, usd: float) -> None:
    found = line(bill(nodes, target, region=region), "g")
    assert found.usd_of_use(hours) == pytest.approx((usd, usd), abs=0.01)


# size, MB/s per TiB, EFA, USD of 14 days in us-east-2
LUSTRE = [
    (98_400, 125, False, 6_567.19),
    (98_400, 250, False, 9_511.10),
    (98_400, 500, False, 15_398.93),
    (98_400, 1000, False, 27_174.58),
    (115_200, 125, True, 7_688.42),
    (115_200, 250, True, 11_134.95),
    (105_600, 500, True, 16_525.68),
    (100_800, 1000, True, 27_837.37),
]


@pytest.mark.parametrize(("size", "throughput", "efa", "usd"), LUSTRE)
def test_lustre(size: int, throughput: int, efa: bool, usd: float) -> None:
    fields = f"type: fsx-lustre, size: {size}GiB, throughput: {throughput}, efa: {efa}"
    fsx = f"storage: [{{mount: /fsx, {fields}}}]\n"
    found = bill("16 p5en.48xlarge block", region="us-east-2", more=fsx)
    assert line(found, "/fsx").usd(14 * DAYS)[1] == pytest.approx(usd, abs=0.01)


_TIERED = "storage_class: intelligent-tiering, throughput: 4000, read_cache:"
_HARD = "deployment: persistent-1, storage_class: hdd, size: 6000GiB, throughput: 12, drive_cache:"
LUSTRE_CACHES = [
    # The read cache is provisioned: 20,000 GiB for 4,000 MB/s, or what the spec says.
    *((f"{_TIERED} auto", 3_880), (f"{_TIERED} none", 2_080), (f"{_TIERED} 1000GiB", 2_170)),
    # https://aws.amazon.com/fsx/lustre/pricing/: USD per GB-month in us-east-1.
    *((f"{_HARD} true", 6000 * 0.041), (f"{_HARD} false", 6000 * 0.025)),
]


@pytest.mark.parametrize(("fields", "usd"), LUSTRE_CACHES)
def test_caches_of_lustre(fields: str, usd: float) -> None:
    fsx = f"storage: [{{mount: /fsx, type: fsx-lustre, {fields}}}]\n"
    found = bill("1 m7i.xlarge on-demand", more=fsx)
    assert line(found, "/fsx").usd(MONTH)[1] == pytest.approx(usd)


# region, more of a spec of one node, the line of the bill, hours, USD
LINES = [
    ("us-east-1", "", "NAT gateway", 14 * DAYS, 15.12),
    ("us-west-2", "head_node: {instance_type: c6i.4xlarge}", "head node", 14 * DAYS, 228.48),
    # https://aws.amazon.com/elasticloadbalancing/pricing/ (2025-06).
    ("eu-central-1", "login: {}", "load balancer of login nodes", 1, 0.027),
    ("us-east-1", "kubernetes: {version: '1.35'}", "control plane", MONTH, 73.00),
    ("us-east-1", "kubernetes: {version: '1.33'}", "control plane", MONTH, 438.00),
    ("us-east-1", "monitoring: {metrics: self-hosted}", "Prometheus", MONTH, 8.0),
]


@pytest.mark.parametrize(("region", "more", "name", "hours", "usd"), LINES)
def test_lines(region: str, more: str, name: str, hours: int, usd: float) -> None:
    target = "eks" if name in {"control plane", "Prometheus"} else "parallelcluster"
    found = bill("1 m7i.xlarge on-demand", target, region=region, more=f"{more}\n")
    assert line(found, name).usd(hours) == pytest.approx((usd, usd))


ACCOUNTED = "login: {instance_type: c6i.xlarge}\nslurm: {accounting: managed}\n"


def test_pcs_for_two_weeks() -> None:
    found = bill("16 p5en.48xlarge on-demand", "pcs", region="us-west-2", more=ACCOUNTED)
    time = 14 * DAYS
    assert line(found, "controller").usd(time)[0] == pytest.approx(195.72)
    login = line(found, "login node management").usd(time)[0]
    low, high = line(found, "node management").usd(time)
    assert (low + login, high + login) == pytest.approx((456.96, 3_467.52))
    assert line(found, "accounting").usd(time)[0] == pytest.approx(57.12)


def test_hpc_on_pcs_for_a_month() -> None:
    scratch = "mount: /scratch, type: fsx-lustre, size: 12000GiB, deployment: scratch-2"
    more = f"{ACCOUNTED}storage: [{{{scratch}}}]\n"
    found = bill("64 hpc7a.96xlarge on-demand", "pcs", region="us-east-2", more=more)
    monthly = {"controller": 2440.32, "login nodes": 124.1, "/scratch": 1680, "accounting": 730}
    assert {name: round(line(found, name).usd(MONTH)[0], 2) for name in monthly} == monthly
    assert line(found, "node management").usd(40) == pytest.approx((210.18, 1_681.15), abs=0.01)
    small = bill("31 hpc7a.96xlarge on-demand", "pcs", region="us-east-2", more=more)
    assert line(small, "controller").usd(MONTH)[0] == pytest.approx(436.32, abs=0.01)


@pytest.mark.parametrize(
    ("support", "then"), [("standard", ""), ("extended", ", then 0.60 USD per hour")]
)
def test_the_bill_says_what_extended_support_will_cost(support: str, then: str) -> None:
    more = f"kubernetes: {{version: '1.35', support: {support}}}\n"
    what = line(bill("2 g6e.48xlarge on-demand", "eks", more=more), "control plane").what
    assert what.partition("2027-03-27")[2] == then


def test_traffic_of_nodes_in_another_zone() -> None:
    text = """node_groups:
  - {name: near, instance_type: g6e.48xlarge, count: 1}
  - {name: far, instance_type: g6e.48xlarge, count: 1, zone: use1-az4}
"""
    between = line(bill_of(text, "pcs"), "traffic between zones")
    assert [price.usd for price in between.by_use] == [0.01]
    assert "far" in between.what
    assert "near" not in between.what
    together = bill_of(text.replace(", zone: use1-az4", ""), "pcs")
    assert all(each.name != "traffic between zones" for each in together.lines)


@pytest.mark.parametrize(("zone", "usd"), [("use1-az6", 0.01), ("euc1-az2", 0.012)])
def test_interface_endpoints_take_the_place_of_nat(zone: str, usd: float) -> None:
    head = HEAD.replace("us-east-1", str(regions.region_of_zone(zone)))
    closed = head.replace("use1-az6", f"{zone}, internet: none")
    nodes = "node_groups: [{name: nodes, instance_type: m7i.4xlarge, count: 1}]"
    more = "software: {containers: none}\ntargets: {pcs: {}}"
    found = bill_of(f"{closed}{nodes}\n{more}", "pcs")
    assert not [each for each in found.lines if "NAT" in each.name]
    # pcs, logs, and three for Session Manager.
    assert line(found, "endpoints").usd(MONTH)[0] == pytest.approx(5 * usd * MONTH)


@pytest.mark.parametrize(
    ("network", "addresses"),
    [("zone: use1-az6", 0), ("zone: use1-az6, ssh_from: [203.0.113.0/24]", 0.005 * MONTH)],
)
def test_login_nodes_of_parallelcluster_are_behind_a_load_balancer(
    network: str, addresses: float
) -> None:
    text = EXAMPLE_BASE.replace("zone: use1-az6", network)
    found = bill_of(f"{text}login: {{}}\n", "parallelcluster")
    balancer, its_address = "load balancer of login nodes", "address of login nodes"
    assert line(found, balancer).usd(MONTH)[0] == pytest.approx(0.0225 * MONTH)
    names = {each.name for each in found.lines}
    assert (its_address in names) == bool(addresses)
    if addresses:
        assert line(found, its_address).usd(MONTH)[0] == pytest.approx(addresses)
    assert balancer not in {each.name for each in bill_of(text, "parallelcluster").lines}


AT = Prices(RECORDED, "us-east-1", "us-east-1")


def test_samples_of_sixteen_nodes() -> None:
    amount = samples(16 * 2500 * HOUR_SECONDS / 30, AT)
    assert amount
    assert amount.usd(14 * DAYS) == pytest.approx(141.55, abs=0.01)
    assert amount.usd(1) * MONTH == pytest.approx(amount.usd(MONTH))
    assert amount.usd(2 * MONTH) == pytest.approx(2 * amount.usd(MONTH))


def test_samples_of_every_tier() -> None:
    amount = samples(262e9 / MONTH, AT)
    assert amount
    assert amount.usd(MONTH) == pytest.approx(1.96e9 * 9e-8 + 250e9 * 3.5e-8 + 10e9 * 1.6e-8)


# asked for, hours that a block is sold for: no block is longer than half a year
BLOCKS = [
    *((1, 24), (24, 24), (25, 48), (14 * 24, 14 * 24), (15 * 24, 21 * 24), (182 * 24, 182 * 24)),
    (182 * 24 + 1, None),
]


@pytest.mark.parametrize(("asked", "sold"), BLOCKS)
def test_duration_of_a_block(asked: int, sold: int | None) -> None:
    days = blocks.days(asked)
    assert (days and days * DAYS) == sold


VOLUMES = """
head_node: {root_volume: {size: 100GiB, iops: 4000, throughput: 225}}
node_groups:
  - {name: a, instance_type: m7i.xlarge, count: {min: 0, max: 4}, root_volume: {size: 500GiB}}
storage:
  - {mount: /home, type: ebs, size: 1000GiB, volume_type: gp3}
  - {mount: /z, type: fsx-openzfs, size: 1000GiB, throughput: 320, iops: 4000}
  - {mount: /e, type: efs, throughput_mode: provisioned, throughput: 100}
"""


def test_volumes_and_file_systems() -> None:
    found = bill_of(VOLUMES, "parallelcluster")
    head = 100 * 0.08 + 1000 * 0.005 + 100 * 0.04
    assert line(found, "root volumes of head node").usd(MONTH)[0] == pytest.approx(head)
    assert line(found, "root volumes of a").usd(MONTH) == pytest.approx((0, 4 * 500 * 0.08))
    assert line(found, "/home").usd(MONTH)[0] == pytest.approx(80)
    zfs = 1000 * 0.09 + 320 * 0.26 + 1000 * 0.006
    assert line(found, "/z").usd(MONTH)[0] == pytest.approx(zfs)
    assert line(found, "/e throughput").usd(MONTH)[0] == pytest.approx(600)
    assert [price.usd for price in line(found, "/e").by_use] == [0.30]


def test_openzfs_with_a_standby_has_no_known_price() -> None:
    zfs = "mount: /z, type: fsx-openzfs, size: 1024GiB, throughput: 320, deployment: single-az-ha-2"
    found = bill("1 m7i.xlarge on-demand", more=f"storage: [{{{zfs}}}]\n")
    assert line(found, "/z").unknown == "no price of SINGLE_AZ_HA_2 is known"


def test_what_is_kept_has_its_price() -> None:
    more = "monitoring: {metrics: managed-prometheus, dashboards: managed-grafana}\n"
    found = bill("1 g6e.48xlarge on-demand", "eks", more=more)
    kept = {"logs": [0.50, 0.03], "metrics stored": [0.03], "Grafana": [9.0, 5.0]}
    for name, prices in kept.items():
        assert [price.usd for price in line(found, name).by_use] == prices

"""Bills as a whole: what they count, and that they never invent or hide a price."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.analysis import cost as estimate
from clustergen.checking import compiler
from clustergen.cli import main
from clustergen.facts.catalog import prices
from clustergen.services import cost
from clustergen.services.cost import formatting
from clustergen.services.cost.model import Bill
from tests.services.cost.bills import HEAD, ID, bill, bill_of, line
from tests.support.checking import EXAMPLES, check
from tests.support.tables import flow


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_spec_has_a_bill_of_known_or_explained_lines(name: str) -> None:
    checked = compiler.check([EXAMPLES[name]], targets=targets.NAMES)
    for target, plan in checked.plans.items():
        found = cost.bill(plan, targets.load(target).fees)
        keys = [(line.part, line.name) for line in found.lines]
        assert len(keys) == len(set(keys))
        for each in found.lines:
            states = (each.counted, bool(each.unknown), bool(each.by_use), bool(each.outside))
            assert sum(states) == 1, each
            low, high = each.usd(1)
            assert 0 <= low <= high
        for price in found.prices:
            assert price.usd > 0
            assert price.source.source
            assert price.source.date.startswith("20")
            assert price.place.startswith(plan.region)


def test_unknown_prices_are_named_and_not_counted() -> None:
    found = bill("4 trn2.48xlarge on-demand", region="us-east-2")
    unknown = line(found, "g")
    assert unknown.unknown == "no price of EC2 trn2.48xlarge is known in us-east-2"
    assert unknown in found.unknown
    others = tuple(each for each in found.lines if each is not unknown)
    assert found.usd(1) == Bill(found.target, found.region, others).usd(1)


def test_other_regions_have_their_own_prices() -> None:
    east, west = (bill("1 p5en.48xlarge on-demand", region=r) for r in ("us-east-1", "us-west-1"))
    assert (line(east, "g").usd(1), line(west, "g").usd(1)) == ((63.296,) * 2, (79.12,) * 2)


def test_hyperpod_prices_are_never_derived_from_ec2() -> None:
    found = bill("2 g6e.12xlarge on-demand", "hyperpod-slurm")
    assert line(found, "g").unknown == "no price of HyperPod ml.g6e.12xlarge is known in us-east-1"


def test_a_local_zone_has_its_own_prices() -> None:
    found = bill("18 p6e-gb200.36xlarge block", "eks", region="use1-dfw2-az1")
    assert {price.place for price in line(found, "g").prices} == {"us-east-1-dfw"}
    assert {price.place for price in line(found, "system nodes").prices} == {"us-east-1"}


def test_spot_is_unknown_and_limited() -> None:
    found = line(bill("2 g6e.48xlarge spot"), "g")
    assert "market" in found.unknown
    assert "60.26 USD per hour" in found.unknown


@pytest.mark.parametrize(("target", "most"), [("batch", 335.76), ("eks", 241.05)])
def test_batch_counts_vcpus(target: str, most: float) -> None:
    """Twice as many g6e.12xlarge, which cost more than half of a g6e.24xlarge."""
    types = "instance_types: [g6e.12xlarge, g6e.24xlarge], efa: false"
    text = f"node_groups: [{{name: g, {types}, count: {{max: 16}}}}]\n"
    assert line(bill_of(text, target), "g").usd(1)[1] == pytest.approx(most, abs=0.01)


@pytest.mark.parametrize(
    ("target", "more", "name"),
    [
        ("eks", "monitoring: {metrics: none, dashboards: cloudwatch}", "dashboards"),
        ("pcs", "storage: [{mount: /home, type: efs, backups: 35d}]", "/home backups"),
    ],
    ids=["dashboards of Container Insights", "backups of EFS"],
)
def test_what_has_no_known_price_is_on_the_bill(target: str, more: str, name: str) -> None:
    assert line(bill("2 g6e.48xlarge on-demand", target, more=more), name).unknown


def test_the_bounds_are_the_counts_of_node_groups() -> None:
    types = "instance_types: [m7i.xlarge, m7i.2xlarge]"
    text = f"node_groups: [{{name: g, {types}, count: {{min: 1, max: 10}}}}]"
    assert line(bill_of(text, "eks"), "g").usd(1) == pytest.approx((0.2016, 4.032))


IDLE = "instance_type: p5.48xlarge, count: {min: 0, max: 4}"


@pytest.mark.parametrize(("option", "usd"), [("reservation", 55.04), ("capacity_block", 47.76)])
def test_reserved_nodes_are_paid_for_when_idle(option: str, usd: float) -> None:
    text = f"node_groups: [{{name: a, {IDLE}, capacity: {{{option}: {ID}}}}}]"
    assert line(bill_of(text, "pcs"), "a").usd(1) == pytest.approx((4 * usd,) * 2)


def test_fees_and_volumes_are_those_of_nodes_that_run() -> None:
    """A reservation is paid for without nodes; PCS and EBS are not."""
    fields = f"{IDLE}, root_volume: {{size: 100GiB}}, capacity: {{reservation: {ID}}}"
    found = bill_of(f"node_groups: [{{name: a, {fields}}}]", "pcs")
    assert line(found, "node management").usd(1) == pytest.approx((0, 4 * 0.64))
    assert line(found, "root volumes of a").usd(730) == pytest.approx((0, 4 * 100 * 0.08))


@pytest.mark.parametrize(("target", "gib"), [("pcs", 200), ("batch", 200), ("eks", 100)])
def test_root_volumes_without_a_size_have_that_of_the_target(target: str, gib: int) -> None:
    text = "node_groups: [{name: a, instance_type: m7i.xlarge, count: {min: 0, max: 4}}]"
    [root] = [each for each in bill_of(text, target).lines if "root volumes of a" in each.name]
    assert f"{gib} GiB" in root.what


@pytest.mark.parametrize(
    ("fields", "least"),
    [("count: 4", 0), ("count: {min: 2, max: 4}", 0), ("count: 4, efa: false", 4)],
)
def test_multi_node_jobs_of_batch_start_their_nodes(fields: str, least: int) -> None:
    """Batch keeps a minimum for jobs of one node only."""
    group = f"name: a, instance_type: p5.48xlarge, {fields}, root_volume: {{size: 100GiB}}"
    found = bill_of(f"node_groups: [{{{group}}}]", "batch")
    assert line(found, "a").usd(1) == pytest.approx((least * 55.04, 4 * 55.04))
    assert line(found, "root volumes of a").usd(730) == pytest.approx((least * 8, 32))


def test_existing_resources_are_not_billed() -> None:
    text = """version: 1
name: example
region: us-east-1
network: {zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890],
  security_groups: [sg-0a1b2c3d4e5f67890]}
node_groups: [{name: g, instance_type: m7i.xlarge, count: 2}]
storage: [{mount: /e, type: efs, existing: {id: fs-0a1b2c3d4e5f67890}}]
"""
    found = bill_of(text, "pcs")
    assert line(found, "/e").outside == "it exists already"
    assert not list(found.of("network"))


def test_differences_of_bills() -> None:
    old = bill("2 p5en.48xlarge on-demand", "pcs")
    new = bill("4 p5en.48xlarge on-demand", "pcs", more="login: {instance_type: c6i.xlarge}\n")
    changes = {change.line.name: change for change in cost.compare(old, new)}
    assert set(changes) >= {"g", "login nodes", "node management"}
    assert "controller" not in changes
    assert changes["g"].usd(1) == pytest.approx((126.592, 126.592))
    assert changes["login nodes"].old is None
    total = sum(change.usd(730)[1] for change in changes.values() if change.comparable)
    assert total == pytest.approx(new.usd(730)[1] - old.usd(730)[1])
    assert list(cost.compare(new, new)) == []


def test_a_change_to_an_unknown_price_is_not_comparable() -> None:
    old = bill("2 p5en.48xlarge on-demand", region="us-east-2")
    new = bill("2 p5en.48xlarge spot", region="us-east-2")
    (change,) = (one for one in cost.compare(old, new) if one.line.name == "g")
    assert not change.comparable


# The command.

SPEC = f"""{HEAD}
node_groups: [{{name: h200, instance_type: p5en.48xlarge, count: {{min: 2, max: 4}}}}]
targets: {{pcs: {{}}, hyperpod-slurm: {{}}}}
"""


def run(folder: Path, *arguments: str, text: str = SPEC) -> Sequence[str]:
    """The arguments of the command for a spec in a file."""
    file = folder / "a.yaml"
    file.write_text(text, encoding="utf-8")
    return ["cost", str(file), *arguments]


PHRASES = (
    *("on AWS PCS", "on SageMaker HyperPod with Slurm", "a.yaml, us-east-1.", "126.59 to 253.18"),
    *("15 d", "Capacity Block: sold for 21 d", "EC2 p5en.48xlarge: AWS Price List"),
    *("us-east-1, 2026-07-20", "training plan"),
)


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(run(tmp_path, "--duration", "15d", "--compare-purchase")) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 100
    found = " ".join(text.split())
    assert [phrase for phrase in PHRASES if phrase not in found] == []


@pytest.mark.parametrize(
    ("nodes", "title"),
    [
        ("2 g6e.48xlarge on-demand", ["Total"]),
        ("2 p5.48xlarge block", ["Total of known prices"]),
        ("2 g6e.48xlarge spot", []),
    ],
)
def test_there_is_no_total_without_the_price_of_nodes(nodes: str, title: list[str]) -> None:
    region = "us-east-2" if "block" in nodes else "us-east-1"
    found = bill(nodes, "eks", region=region)
    assert [row[0] for row in formatting.total(found)] == title
    heads = [head for head, _ in formatting.not_in_total(found)]
    assert ("no total" in heads[0]) == (not title)


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--target", "pcs", "--duration", "14d", "--compare-purchase", "--output", "json")
    assert main(run(tmp_path, *arguments)) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["target"], found["currency"], found["duration_hours"]) == ("pcs", "USD", 336)
    nodes = found["lines"][0]
    assert nodes["hour"] == [126.592, 253.184]
    assert nodes["duration"] == [42534.912, 85069.824]
    assert nodes["prices"][0] == flow("""
        {name: EC2 p5en.48xlarge, usd: 63.296, unit: instance-hour, region: us-east-1,
          source: 'AWS Price List, as in https://github.com/aws/karpenter-provider-aws',
          date: '2026-07-20', confidence: high, note: ''}
    """)
    options = {option["option"]: option["status"] for option in found["purchase_options"]}
    known = dict.fromkeys(("on-demand", "reservation", "capacity-block"), "known")
    assert options == {**known, "spot": "unknown"}
    total = found["total"]
    counted = [line["hour"] for line in found["lines"] if line["hour"]]
    assert total["hour"] == pytest.approx([*map(sum, zip(*counted, strict=True))])
    assert total["complete"] == all(line["status"] != "unknown" for line in found["lines"])


def test_a_spec_without_targets_is_priced_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SPEC.partition("targets")[0]
    main(run(tmp_path, "--output", "json", text=text))
    found = [one["target"] for one in json.loads(capsys.readouterr().out)]
    assert set(found) <= set(targets.NAMES)
    assert len(found) >= 3


def test_a_target_that_does_not_render_has_no_bill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SPEC.replace("count:", "capacity: spot, count:")
    assert main(run(tmp_path, "--output", "json", text=text)) == 1
    out, err = capsys.readouterr()
    assert [one["target"] for one in json.loads(out)] == ["pcs"]
    assert "SUP001" in err


@pytest.mark.parametrize("duration", ["soon", "14", "0h"])
def test_a_bad_duration(duration: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(run(tmp_path, "--duration", duration)) == 2
    assert ("duration" if duration != "14" else "14d?") in capsys.readouterr().err


def test_prices_can_come_from_another_book() -> None:
    class Doubled:
        def find(self, name: str, place: str) -> prices.Price | None:
            found = prices.RECORDED.find(name, place)
            return found and prices.Price(name, 2 * found.usd, found.unit, place, found.source)

    checked = check(SPEC, target="pcs")
    (single,), (double,) = (
        tuple(estimate.estimate("a", checked, book=book)) for book in (prices.RECORDED, Doubled())
    )
    assert double.bill.usd(1)[1] == pytest.approx(2 * single.bill.usd(1)[1])


def test_the_bill_says_whose_samples_it_does_not_count() -> None:
    found = bill("2 g6e.48xlarge on-demand", more="monitoring: {metrics: managed-prometheus}")
    assert "those of head and login nodes and of Slurm are not in it" in line(found, "metrics").note

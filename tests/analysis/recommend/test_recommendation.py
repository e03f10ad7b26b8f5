"""Recommendations as a whole: specs that check clean, formats, and the command."""

import datetime
import itertools
import json
from pathlib import Path

import pytest

from clustergen.analysis import recommend
from clustergen.analysis.recommend import need as needs
from clustergen.analysis.recommend import view
from clustergen.base.findings import Severity
from clustergen.checking import compiler
from clustergen.cli import main
from clustergen.output import blocks
from tests.analysis.recommend.asking import EC2, ask, need
from tests.analysis.recommend.test_questions import answered

ASKED = [
    *itertools.product(("H100", "H200", "B200", "A100"), (8, 64), ("us", "eu")),
    *itertools.product(("L4", "L40S", "A10G", "T4"), (1, 32), ("us-east-1",)),
    *itertools.product(("Trainium", "Trainium2", "GB200", "B300"), (16, 72), ("us",)),
    *itertools.product(("H100", "GB200"), (1000,), ("us",)),
    *itertools.product(("none",), (500, 20_000), ("us-east-2", "eu-north-1")),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("accelerator", "count", "region"), ASKED)
def test_specs_of_answers_check_clean(accelerator: str, count: int, region: str) -> None:
    found = ask(accelerator, count, 7, region, interruptible=True)
    for answer in found.answers:
        best = answer.services[0]
        checked = compiler.check_text(answer.spec)
        assert checked.targets == (best.target,)
        heavy = [f for f in checked.findings if f.severity is Severity.ERROR]
        assert heavy == []
        warned = {f.message for f in checked.findings if f.severity is Severity.WARNING}
        assert warned == set(best.warnings)
        plan = checked.plans[best.target]
        assert plan.max_nodes == answer.offer.nodes
        for group in plan.node_groups:
            assert (group.type, group.capacity.kind) == (answer.offer.type, answer.offer.kind)
            assert group.max <= 64 or group.capacity.kind != "capacity-block"
        assert plan.max_nodes * needs.per_node(answer.offer.type) >= count


def test_costs_are_those_of_the_written_spec() -> None:
    from clustergen import targets
    from clustergen.services import cost

    for answer in ask("H100", 16, 7, "us").answers:
        best = answer.services[0]
        plan = compiler.check_text(answer.spec).plans[best.target]
        bill = cost.bill(plan, targets.load(best.target).fees)
        assert best.usd == pytest.approx(bill.usd_of_use(answer.offer.hours)[1])
        assert list(best.holes) == [line.name for line in bill.unknown]


@pytest.mark.parametrize("format", blocks.FORMATS)
@pytest.mark.parametrize("question", ["sixteen nodes with H200 for two weeks", "four trn2"])
def test_formats(format: str, question: str) -> None:
    found = answered(question)
    text = recommend.render(format, found)
    assert text.endswith("\n")
    for answer in found.answers:
        assert answer.offer.type.name in text
        assert answer.verify.split(" --")[0] in text


def test_json() -> None:
    data = json.loads(recommend.render("json", ask("H100", 64, 14, "us")))
    first = data["answers"][0]
    assert (first["type"], first["option"], first["certainty"]) == (
        "p5.48xlarge",
        "capacity-block",
        "guaranteed",
    )
    assert first["usd_nodes"] == pytest.approx(8 * 47.76 * 336)
    assert first["price"]["date"] == "2026-10-07"
    assert first["verify"].startswith("aws ec2 describe-capacity-block-offerings")


def test_verifying_with_a_start() -> None:
    found = recommend.recommend(
        need("H200", 128, 14, "us", start=datetime.date(2026, 12, 10)), top=3
    )
    block, _, plan = (answer.verify for answer in found.answers)
    assert "--start-date-range 2026-12-10T00:00:00Z" in block
    assert "--instance-count 16 --capacity-duration-hours 336" in block
    assert "--start-time-after 2026-12-10T00:00:00Z" in plan


def test_ultraservers_are_bought_whole() -> None:
    verify = ask("GB200", 72, 7, "us").answers[0].verify
    assert "--ultraserver-type u-p6e-gb200x72 --ultraserver-count 1" in verify


@pytest.mark.parametrize(
    ("text", "count"), [("us", 4), ("us-east-1", 1), ("us-east-1,eu-west", 4), ("mars", 0)]
)
def test_regions(text: str, count: int) -> None:
    assert len(needs.regions_of(text)) == count


@pytest.mark.parametrize(
    ("amount", "text"), [(None, "not known"), (999.5, "999.50"), (1000, "1,000")]
)
def test_amounts_have_cents_where_they_count(amount: float | None, text: str) -> None:
    assert view.usd(amount) == text


# The command.


def run(*arguments: str) -> int:
    return main(["recommend", *arguments])


def test_a_need(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("--accelerator", "h100", "--count", "64", "--for", "7d", "--region", "us-east-1") == 0
    )
    text = capsys.readouterr().out
    assert text.startswith("64 H100 for 7 d in us-east-1: ")
    assert "8 x p5.48xlarge, Capacity Block for 7 d: 64,189 USD in advance" in text


def test_scheduler(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--accelerator", "H100", "--count", "64", "--output", "json")
    assert run(*arguments, "--scheduler", "kubernetes", "--region", "us-east-1") == 0
    data = json.loads(capsys.readouterr().out)
    named = {service["target"] for answer in data["answers"] for service in answer["services"]}
    assert named == {"eks", "hyperpod-eks"}


def test_writing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--accelerator", "H100", "--count", "64", "--region", "us")
    folder = tmp_path / "new"
    assert run(*arguments, "--write", str(folder), "--answer", "2") == 0
    capsys.readouterr()
    assert main(["check", str(folder)]) == 0
    assert "training_plan" in (folder / "cluster.yaml").read_text(encoding="utf-8")
    assert run(*arguments, "--write", str(folder)) == 2
    assert "exists" in capsys.readouterr().err
    assert run(*arguments, "--write", str(tmp_path), "--answer", "50") == 2


SPEC = """version: 1
name: training
region: us-east-2
network: {zone: use2-az2}
login: {instance_type: m7i.xlarge}
node_groups:
  - {name: small, instance_type: m7i.xlarge, count: 2}
  - {name: h200, instance_type: p5en.48xlarge, count: 16}
storage: [{mount: /fsx, type: fsx-lustre, size: 19200GiB, throughput: 250, efa: true}]
users: [{name: alice, uid: 2001}]
targets: {parallelcluster: {}}
"""


def test_what_else_would_run_a_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(SPEC, encoding="utf-8")
    arguments = (str(file), "--for", "14d", "--output", "json", "--write", str(tmp_path / "b"))
    assert run(*arguments) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["need"]["count"] == 128
    first = data["answers"][0]
    assert (first["type"], first["nodes"], first["region"]) == ("p5e.48xlarge", 16, "us-east-2")
    losses = {service["target"]: service["losses"] for service in first["services"]}
    assert any("Login nodes" in loss for loss in losses["eks"])
    written = compiler.check([tmp_path / "b" / "cluster.yaml"])
    (plan,) = written.plans.values()
    assert [group.type.name for group in plan.node_groups] == ["m7i.xlarge", "p5e.48xlarge"]
    assert plan.network.zone == "use2-az2"
    assert plan.users


REFUSED = [
    ((), "give --accelerator and --count, or a spec"),
    (("--accelerator", "H900", "--count", "8"), "no instance type with H900"),
    (("--accelerator", "H100", "--count", "8", "--region", "mars"), "no region 'mars'"),
    (("--accelerator", "H100", "--count", "8", "--start", "soon"), "not a date"),
    (("--accelerator", "H100", "--count", "8", "--start", "2020-01-01"), "in the past"),
    (("--accelerator", "H100", "--count", "8", "--target", "k8s"), "no target 'k8s'"),
    (
        ("--accelerator", "H100", "--count", "8", "--target", "pcs", "--scheduler", "kubernetes"),
        "none of pcs has kubernetes",
    ),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_invalid_arguments(
    arguments: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    assert words in capsys.readouterr().err


def test_no_answer_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--accelerator", "GB200", "--count", "72", "--region", "eu-west-1") == 1
    assert "it is in us-east-1" in capsys.readouterr().out


def test_types_without_blocks_are_not_reserved() -> None:
    kinds = {answer.offer.kind for answer in ask("L40S", 8, 3, "us", services=EC2).answers}
    assert kinds == {"on-demand"}

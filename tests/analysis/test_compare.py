"""``clustergen compare``: what each target makes of a spec, and which one fits best."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest

from clustergen import targets
from clustergen.analysis import compare
from clustergen.analysis.compare import Comparison, view
from clustergen.base.terminal import WIDEST
from clustergen.checking import compiler
from clustergen.output.blocks import Items, Strong, Table
from clustergen.plan.features import FEATURES, Level
from clustergen.targets import Target
from tests.support.checking import EXAMPLES
from tests.support.commands import Run, runner
from tests.support.tables import flow
from tests.targets.test_specs import ANSWERS

BASE = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: cpu, instance_type: m7i.4xlarge, count: 2}
software: {containers: none}
storage: [{mount: /home, type: efs}]
"""
EC2 = ("parallelcluster", "pcs")


def compared(*texts: str, names: Sequence[str] = EC2) -> Comparison:
    """The comparison of specs laid over each other, for the targets called ``names``."""
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.yaml") for number in range(1 + len(texts))]
        for file, text in zip(files, (BASE, *texts), strict=True):
            file.write_text(text, encoding="utf-8")
        return compare.compare(str(files[0]), compiler.check(files, targets=names), names)


SPECS = [
    pytest.param(name, marks=pytest.mark.repeated() if number % 4 else ())
    for number, name in enumerate(EXAMPLES)
]


@pytest.fixture(scope="module", params=SPECS)
def spec(request: pytest.FixtureRequest) -> Comparison:
    path = str(EXAMPLES[request.param])
    return compare.compare(path, compiler.check([path], targets=targets.NAMES), targets.NAMES)


def test_the_verdict_is_that_of_check(spec: Comparison) -> None:
    answers = ANSWERS[Path(spec.source).stem]
    verdicts = {s.target.name: {change.code for change in s.changes} for s in spec.standings}
    assert verdicts == {name: answers[name] for name in targets.NAMES}
    for standing in spec.standings:
        assert standing.renders == (not answers[standing.target.name])
        assert all(change.way_out and change.places for change in standing.changes)


def test_the_text_fits_a_terminal(spec: Comparison) -> None:
    text = compare.render("text", [spec])
    assert max(map(len, text.splitlines())) <= WIDEST
    assert text == compare.render("text", [spec])
    for feature in spec.features:
        assert feature.title.split()[0] in text
    for standing in spec.standings:
        assert f"\n\n{standing.target.title}\n  {standing.target.name} " in text


IDS = ", ".join(feature.id for feature in FEATURES)
TARGETS = ", ".join(targets.NAMES)
SCHEMA: dict[str, Any] = flow(
    """
type: array
items:
  type: object
  additionalProperties: false
  required: [spec, name, features, targets, least_lost, findings]
  properties:
    spec: {type: string}
    name: {type: string}
    features:
      type: array
      items:
        required: [feature, title, targets]
        properties:
          feature: {enum: [$IDS]}
          targets:
            minProperties: 1
            additionalProperties:
              type: object
              required: [level, how, source, checked, paths]
              properties:
                level: {enum: [full, managed, partial, none]}
                paths: {type: array, minItems: 1, items: {type: array}}
    targets:
      type: array
      items:
        required: [target, title, place, planned, renders, blocking]
        properties:
          target: {enum: [$TARGETS]}
          place: {type: integer, minimum: 1}
          renders: {type: boolean}
          findings: &counts {type: object, additionalProperties: {type: integer, minimum: 0}}
          features: *counts
          changes: {items: {required: [code, message, help, locations]}}
    least_lost: {type: array, items: {enum: [$TARGETS]}}
    findings: {type: array, items: {required: [code, severity, path]}}
""".replace("$IDS", IDS).replace("$TARGETS", TARGETS)
)


def test_json_has_the_documented_form(spec: Comparison) -> None:
    document = json.loads(compare.render("json", [spec]))
    jsonschema.validate(document, SCHEMA)
    [one] = document
    assert [target["target"] for target in one["targets"]] == list(targets.NAMES)
    for target in one["targets"]:
        rows = [row["targets"].get(target["target"]) for row in one["features"]]
        levels = [row["level"] for row in rows if row]
        assert target["features"] == {level: levels.count(level) for level in target["features"]}
        assert target["renders"] == (target["blocking"] == [])


def test_a_row_for_each_feature_and_a_meaning_for_each_cell(spec: Comparison) -> None:
    table, legend = [each for each in view.fits(spec) if isinstance(each, Table | Items)]
    assert isinstance(table, Table)
    assert isinstance(legend, Items)
    rows = table.rows[: len(spec.features)]
    assert [row[0] for row in rows] == [feature.title for feature in spec.features]
    meant = {line[0].text for line in legend.lines if isinstance(line[0], Strong)}
    assert meant - {"+"} == {cell for row in rows for cell in row[1:]}


def test_targets_are_ranked_as_documented(spec: Comparison) -> None:
    document = json.loads(compare.render("json", [spec]))[0]["targets"]
    keys = {
        (
            target["place"],
            not target["renders"],
            target["features"]["none"],
            target["features"]["partial"],
            target["findings"]["warning"],
        )
        for target in document
    }
    in_order = sorted(keys)
    assert [key[1:] for key in in_order] == sorted(key[1:] for key in in_order)
    assert len({key[0] for key in keys}) == len({key[1:] for key in keys}) == len(keys)


# The order, a step at a time: what is laid over the base, and the place of each.
RESERVED = "node_groups: [{name: cpu, capacity: {interruptible_reservation: cr-0a1b2c3d}}]"
PLACES: list[tuple[str, tuple[int, int], str]] = [
    ("{}", (1, 1), "Best fit: parallelcluster, pcs (tied)."),
    (RESERVED, (2, 1), "Best fit: pcs."),
    ("head_node: {threads_per_core: 2}", (1, 2), "Best fit: parallelcluster."),
    ("node_groups: [{name: cpu, labels: {a: b}}]", (2, 1), "Best fit: pcs."),
    ("slurm: {version: '25.05'}", (2, 1), "Best fit: pcs."),
    (
        "storage: [{mount: /b, type: s3, bucket: 's3://my-bucket'}]\n"
        "node_groups: [{name: cpu, threads_per_core: 2}]",
        (1, 2),
        "No target renders this spec. Closest: parallelcluster.",
    ),
    (
        "monitoring: {dashboards: managed-grafana}",
        (1, 1),
        "No target renders this spec. Closest: parallelcluster, pcs (tied).",
    ),
]


@pytest.mark.parametrize(("over", "places", "words"), PLACES)
def test_places(over: str, places: tuple[int, int], words: str) -> None:
    found = compared(over)
    assert tuple(standing.place for standing in found.standings) == places
    assert f"\n{words} Ranked by" in compare.render("text", [found])
    assert f"**{words}**" in compare.render("markdown", [found])


@pytest.mark.parametrize(
    ("level", "places"),
    [("full", (1, 1)), ("managed", (1, 1)), ("partial", (2, 1)), ("none", (2, 1))],
)
def test_the_order_follows_the_matrix(
    monkeypatch: pytest.MonkeyPatch, level: Level, places: tuple[int, int]
) -> None:
    """A row that is flipped is a place that is lost."""
    real, id = targets.load, "capacity.on-demand"

    def load(name: str) -> Target:
        target = real(name)
        if name == "pcs":
            return target
        return replace(
            target, support={**target.support, id: target.support[id]._replace(level=level)}
        )

    monkeypatch.setattr(targets, "load", load)
    found = compared()
    assert tuple(standing.place for standing in found.standings) == places
    assert found.standings[0].renders == (level != "none")


def test_options_of_one_target_do_not_affect_others() -> None:
    plain = compared()
    section = (
        "targets: {pcs: {size: small, overlay: {Resources: {Cluster: {Properties: {Size: X}}}}}}"
    )
    found = compared(section)
    assert [s.renders for s in found.standings] == [True, False]
    other, before = found.standings[0], plain.standings[0]
    assert (other.used, other.findings) == (before.used, before.findings)


def test_a_plan_that_fails_for_one_target_is_compared_for_the_others() -> None:
    found = compared("head_node: {instance_type: m7i.huge}")
    assert [(s.used is None, s.renders, s.place) for s in found.standings] == [
        (True, False, 2),
        (False, True, 1),
    ]
    text = compare.render("text", [found])
    [row] = [line for line in text.splitlines() if line.startswith("On-Demand instances")]
    assert row.split()[2:] == ["?", "full"]
    assert "- ?: unknown, because the spec cannot be planned" in text
    assert "parallelcluster cannot be planned; 1 error (CAP001)" in text


def test_one_target_is_not_ranked() -> None:
    text = compare.render("text", [compared(names=["pcs"])])
    assert "Best fit" not in text
    assert "rank" not in text.lower()


def test_repeated_findings_are_one_change() -> None:
    groups = ", ".join(
        f"{{name: nodes-{n}, instance_type: m7i.4xlarge, count: 1,\n  threads_per_core: 2}}"
        for n in range(3)
    )
    found = compared(f"node_groups: [{groups}]")
    [change] = found.standings[1].changes
    assert (change.code, change.message, len(change.places)) == (
        "SUP001",
        "Two threads per core",
        3,
    )
    assert "/1.yaml:2, " in compare.render("text", [found])


# The command.


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    files = {"good": BASE, "form": BASE + "colour: red\n", "place": BASE.replace("east-1", "east1")}
    files |= {"refused": BASE + "monitoring: {dashboards: managed-grafana}\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return runner(capsys, "compare")


COMMANDS: list[tuple[str, int, str, str]] = [
    ("good.yaml", 0, "small\n\ngood.yaml", ""),
    ("refused.yaml --targets pcs,pcluster", 0, "No target renders this spec", ""),
    ("good.yaml --target pcs --target hyperpod", 0, "\n  hyperpod-slurm renders", ""),
    ("good.yaml --target all --output markdown", 0, "## AWS PCS", ""),
    ("-f good.yaml --set node_groups.cpu.capacity=spot", 0, "Spot instances", ""),
    ("good.yaml refused.yaml", 0, "small\n\nrefused.yaml", ""),
    ("form.yaml", 1, "", "error[SPC020]"),
    ("form.yaml --output markdown", 1, "", "error[SPC020]"),
    ("form.yaml --output json", 1, '"code": "SPC020"', ""),
    ("good.yaml --set node_groups.gone.count=1", 1, "", "error[SPC012]"),
    ("place.yaml", 1, "", "did you mean us-east-1?"),
    ("good.yaml form.yaml", 1, "small\n\ngood.yaml", "error[SPC020]"),
    ("nowhere.yaml", 2, "", "cannot read nowhere.yaml"),
    ("", 2, "", "name a spec file"),
    ("good.yaml --targets pcs,slurm", 2, "", "no target 'slurm'"),
    ("good.yaml --targets pcs,", 2, "", "no target ''"),
]


@pytest.mark.parametrize(("arguments", "status", "out", "err"), COMMANDS)
def test_answers(run: Run, arguments: str, status: int, out: str, err: str) -> None:
    ran = run(*arguments.split())
    assert ran[0] == status, ran
    assert out in ran[1]
    assert err in ran[2]
    assert (bool(ran[1]), bool(ran[2])) == (bool(out), bool(err))


def test_only_the_requested_targets_are_checked(run: Run) -> None:
    _, out, _ = run("good.yaml", "--targets", "pcs,hyperpod", "--output", "json")
    document: list[dict[str, Any]] = json.loads(out)
    assert [target["target"] for target in document[0]["targets"]] == ["pcs", "hyperpod-slurm"]


def test_where_names_the_argument(run: Run) -> None:
    _, out, _ = run("good.yaml", "--set", "monitoring.metrics=self-hosted")
    assert "    - --set monitoring.metrics=self-hosted: Prometheus in the cluster: " in out

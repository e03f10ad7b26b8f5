"""Expanded specs: they yield the same plan, with reasons, in each form."""

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen import cli, targets
from clustergen.analysis import plan as analysis
from clustergen.analysis.plan.json import VERSION
from clustergen.checking import compiler
from clustergen.checking.compiler import Checked
from clustergen.plan.model import Plan
from tests.support.checking import (
    EVERY_FIELD,
    EXAMPLES,
    check,
    check_example,
    example_files,
    files_of,
)

SPEC = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
"""
NAMES = [name for name in EXAMPLES if name != EVERY_FIELD.stem]


def content(value: Any) -> Any:
    """A plan as data, without where its values come from."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        origin = ("path", "written", "decisions", "limits")
        names = [field.name for field in dataclasses.fields(value) if field.name not in origin]
        return {name: content(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: content(inner) for key, inner in value.items()}
    return [content(item) for item in value] if isinstance(value, list | tuple) else value


def expected(plan: Plan) -> Any:
    """The content of a plan, with options that are `auto` as they are resolved."""
    resolved = {name: value for name, (value, _) in plan.options.resolved(plan).items()}
    named = plan.target in plan.shared.served.names
    options = dataclasses.replace(plan.options, **resolved) if named else plan.options
    return content(dataclasses.replace(plan, options=options))


def codes(checked: Checked, target: str) -> set[tuple[Any, ...]]:
    return {(finding.code, finding.path) for finding in checked.about(target)}


def taken(name: str) -> list[str]:
    """The targets that an example names, and that take it."""
    checked = check_example(name)
    return [target for target in checked.plans if target and not checked.blocking(target)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_an_expanded_spec_yields_the_same_plan(name: str) -> None:
    assert taken(name)
    for target in taken(name):
        assert_the_same_plan(check_example(name), target)


def assert_the_same_plan(checked: Checked, target: str) -> None:
    expanded = analysis.expand(checked, target)
    assert expanded.defaults
    again = compiler.check_text(analysis.as_yaml(expanded), targets=[target])
    assert content(again.plans[target]) == expected(checked.plans[target])
    assert codes(again, target) == codes(checked, target)
    assert analysis.expand(again, target).defaults == {}
    [data] = json.loads(analysis.as_json([expanded]))["plans"]
    of_json = compiler.check_text(json.dumps(data["spec"]), targets=[target])
    assert content(of_json.plans[target]) == content(again.plans[target])


# ParallelCluster's file has what the spec writes, though it changes nothing: no placement group,
# one thread per core where an instance type has no more, the database's default port.
EXPLICIT = re.compile(
    r" +PlacementGroup:\n +Enabled: false\n| +DisableSimultaneousMultithreading: true\n"
)
DATABASE = re.compile(r'"([^"\n]+):3306"')


def without_explicit(files: Mapping[str, str]) -> dict[str, str]:
    return {path: DATABASE.sub(r"\1", EXPLICIT.sub("", content)) for path, content in files.items()}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
def test_an_expanded_spec_yields_the_same_bundle(name: str) -> None:
    for target in taken(name):
        text = analysis.as_yaml(analysis.expand(check_example(name), target))
        bundle, again = example_files(name, target), files_of(check(text, target=target), target)
        plain, plain_again = without_explicit(bundle), without_explicit(again)
        assert {path for path in plain if plain[path] != plain_again[path]} <= {"README.md"}


def test_what_is_not_in_the_spec_has_a_reason() -> None:
    script = "software: {scripts: [{run: 's3://my-bucket/a.sh'}]}\n"
    checked = check(SPEC + script + "targets: {pcs: {}}\n", target="pcs")
    expanded = analysis.expand(checked, "pcs")
    for decision in checked.plans["pcs"].decisions:
        assert expanded.defaults[decision.path].reason == decision.text
    found = {path: value for path, (value, _) in expanded.defaults.items()}
    assert found["node_groups", 0, "efa"] is True
    assert found["node_groups", 0, "placement"] == "cluster"
    assert found["slurm", "idle_timeout"] == "10m"
    assert found["monitoring", "interval"] == "30s"
    assert found["monitoring", "log_retention"] == "30d"
    assert found["queues",] == [
        {"name": "h200", "node_groups": ["h200"], "default": True, "exclusive": False}
    ]
    assert expanded.defaults["targets", "pcs", "size"] == ("small", "the smallest for 2 nodes")
    groups = expanded.defaults["software", "scripts", 0, "node_groups"]
    assert groups == (["h200"], "all node groups")
    assert ("network", "zone") not in expanded.defaults


@pytest.mark.parametrize("target", targets.NAMES)
def test_sections_of_other_targets_are_left_out(target: str) -> None:
    spec = analysis.expand(check(SPEC, target=target), target).spec
    scheduler = targets.load(target).traits.scheduler
    assert {"slurm", "kubernetes"} & set(spec) == {scheduler} - {"batch"}
    # A section of the target would limit the spec to it.
    assert "targets" not in spec


@pytest.mark.parametrize(
    "written",
    [
        'tags: {"y": "null", a: "1:00:00", "b c": "x\\n# y", "1": "é"}',
        "kubernetes: {version: 1.30}",
        "slurm: {settings: {MinJobAge: 300, Prolog: NO}}",
        "targets: {pcs: {overlay: {Resources: {X: {a: [1, [2, {b: 1.50}], {}], c: null}}}}}",
        "node_groups: [{name: a, instance_type: p5.48xlarge, count: {max: 4}, efa: auto}]",
        "network: {zone: use1-az6, vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d]}",
        "storage: [{mount: /e, type: efs, existing: {id: fs-0a1b2c3d}}]",
    ],
)
def test_what_the_user_wrote_stays(written: str) -> None:
    checked = check(SPEC, written, target="pcs")
    plan = checked.plans["pcs"]
    text = analysis.as_yaml(analysis.expand(checked, "pcs"))
    again = compiler.check_text(text, targets=["pcs"])
    assert content(again.plans["pcs"]) == expected(plan)
    assert yaml.safe_load(text)


# -- the command ----------------------------------------------------------------------------------

Capture = pytest.CaptureFixture[str]


def test_forms(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(SPEC, encoding="utf-8")
    arguments = ["plan", str(spec), "--target", "pcs,eks"]
    assert cli.main(arguments) == 0
    text = capsys.readouterr().out
    assert "example for PCS: " in text
    assert "(h200: EFA is on, because p5en.48xlarge supports it)" in text
    assert cli.main([*arguments, "--output", "yaml"]) == 0
    assert len(list(yaml.safe_load_all(capsys.readouterr().out))) == 2
    assert cli.main([*arguments, "--output", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == VERSION
    assert [plan["target"] for plan in document["plans"]] == ["pcs", "eks"]
    for plan in document["plans"]:
        assert plan.keys() == {"target", "name", "spec", "defaults", "timetable"}
        for default in plan["defaults"]:
            value = plan["spec"]
            for step in default["path"]:
                value = value[step]
            assert value == default["value"]
            assert default["reason"]


def test_a_spec_with_errors(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(SPEC.replace("count: 2", "count: 2, efa: 3"), encoding="utf-8")
    assert cli.main(["plan", str(spec), "--target", "pcs"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[SPC" in err
    assert cli.main(["plan", str(tmp_path / "none.yaml"), "--target", "pcs"]) == 2
    spec.write_text(SPEC, encoding="utf-8")
    assert cli.main(["plan", str(spec)]) == 2
    assert "add --target" in capsys.readouterr().err

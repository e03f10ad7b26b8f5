"""The CDK app as a command: what it asks for, what it says of a wrong spec, and where it goes."""

import json
import re
import tarfile
from collections.abc import Sequence
from importlib import resources as packaged
from pathlib import Path
from typing import Any

import aws_cdk
import pytest

from clustergen import targets
from clustergen.cli import main
from stacks import app
from tests.stacks.synthesized import new_app
from tests.support.aws import cdk
from tests.support.paths import ROOT
from tests.support.tiers import IN_REAL

P5 = str(ROOT / "specs" / "p5-on-demand.yaml")
WRONG = """\
version: 1
name: wrong
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: h200, instance_type: p5en.48xlarg, count: 2}
targets: {pcs: {}}
"""
WARNED = WRONG.replace("48xlarg,", "48xlarge,") + "kubernetes: {admission: none}\n"


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Any:
    """The app with a context: exit status, stderr, and the stacks that it made."""

    def run(**context: str) -> tuple[int, str, list[str]]:
        capfd.readouterr()
        status = app.main(new_app(str(tmp_path / "out"), **context))
        made = sorted(path.name for path in (tmp_path / "out").glob("*.template.json"))
        names = [name.removesuffix(".template.json") for name in made]
        return status, capfd.readouterr().err, names

    return run


@pytest.fixture
def spec(tmp_path: Path) -> Any:
    def write(text: str, name: str = "cluster.yaml") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


REJECTED: list[tuple[dict[str, str], Sequence[str]]] = [
    ({}, ["say which spec: -c spec=FILE", "usage: npx cdk"]),
    ({"spec": P5}, ["p5-on-demand.yaml is for", "-c target=", "usage: npx cdk"]),
    ({"spec": P5, "target": "psc"}, ["no target 'psc'; use parallelcluster, pcs"]),
    ({"spec": P5, "target": "all"}, ["p5-on-demand.yaml is for", "-c target="]),
    ({"spec": "nowhere.yaml", "target": "pcs"}, ["error[SPC001]"]),
    ({"spec": P5, "target": "pcs", "set": "nonsense=1"}, ["error[SPC"]),
]


@pytest.mark.parametrize(("context", "messages"), REJECTED)
def test_missing_context_is_requested(
    run: Any, context: dict[str, str], messages: Sequence[str]
) -> None:
    status, stderr, made = run(**context)
    assert (status, made) == (1, [])
    assert [words for words in messages if words not in stderr] == []
    assert "Traceback" not in stderr


def test_an_invalid_spec_gets_findings(run: Any, spec: Any) -> None:
    status, stderr, made = run(spec=spec(WRONG))
    assert (status, made) == (1, [])
    assert "p5en.48xlarge" in stderr
    assert "error[CAP001]: p5en has no size 48xlarg" in stderr
    assert "cluster.yaml:6:" in stderr
    assert "Traceback" not in stderr


def test_the_only_target_is_the_default_and_warnings_are_printed(run: Any, spec: Any) -> None:
    status, stderr, made = run(spec=spec(WARNED.replace("count: 2", "count: 2, scratch: /s")))
    assert status == 0, stderr
    assert made == ["wrong-foundation", "wrong-pcs"]


def test_files_and_set_arguments_are_merged(run: Any, spec: Any) -> None:
    over = spec("name: other\n", "over.yaml")
    status, stderr, made = run(
        spec=f"{P5},{over}", target="pcs", set="tags.a=1;tags.b=2;network.cidr=10.9.0.0/16"
    )
    assert status == 0, stderr
    assert made == ["other-foundation", "other-pcs"]


PROJECT = """\
[clusters.prod]
files = ["base.yaml", "over.yaml"]
set = ["name=prod"]
targets = ["pcs", "hyperpod-slurm"]
"""
RULE = """\
import clustergen


@clustergen.rule("ACME001", "Names", why="We bill by name.", source="https://example.com")
def names(plan):
    yield clustergen.Problem(("name",), "wrong")
"""
ONE = WRONG.replace("48xlarg,", "48xlarge,").replace("targets: {pcs: {}}\n", "")


@pytest.fixture
def project(tmp_path: Path, spec: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A project with a cluster, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CI", raising=False)
    spec(ONE, "base.yaml")
    spec("tags: {team: vision}\n", "over.yaml")
    return lambda text: spec(text, "clustergen.toml")


@pytest.mark.parametrize("name", ["prod", "base.yaml,over.yaml"])
def test_a_cluster_of_the_project_file(name: str, run: Any, project: Any, tmp_path: Path) -> None:
    project(PROJECT)
    status, stderr, made = run(spec=name, target="pcs", set="name=prod")
    assert (status, made) == (0, ["prod-foundation", "prod-pcs"]), stderr
    assert main(["render", "prod", "--target", "pcs"]) == 0
    files = (
        tmp_path / "out" / "prod-foundation.template.json",
        tmp_path / "out" / "prod" / "pcs" / "foundation.template.json",
    )
    synthesized, rendered = (json.loads(file.read_text())["Resources"] for file in files)
    assert rendered.keys() <= synthesized.keys()
    assert [name for name in synthesized if name.startswith("HyperPod")]


@pytest.mark.parametrize(
    ("settings", "context", "status", "message"),
    [
        ("strict = true", {}, 1, "warning["),
        ("strct = true", {}, 1, "error[PRJ002]"),
        ("[rules]\nfiles = ['rules.py']", {}, 1, "error[PRJ009]"),
        ("[rules]\nfiles = ['rules.py']", {"custom_rules": "false"}, 0, ""),
        ("[rules]\nfiles = ['rules.py']", {"custom_rules": "true"}, 1, "error[ACME001]"),
        ("", {"spec": "."}, 1, "name one"),
    ],
)
def test_the_project_file_counts_as_for_render(
    settings: str, context: dict[str, str], status: int, message: str, *, run: Any, project: Any
) -> None:
    project(settings)
    Path("rules.py").write_text(RULE, encoding="utf-8")
    found, stderr, made = run(**{"spec": "base.yaml", "target": "pcs", **context})
    assert (found, bool(made)) == (status, status == 0), stderr
    assert message in stderr


def test_no_foundation_if_everything_exists(run: Any) -> None:
    """The foundation has a bucket and roles at least, for every spec there is."""
    status, _, made = run(spec=str(ROOT / "specs" / "everything-existing.yaml"), target="pcs")
    assert status == 0
    assert [name.rpartition("-")[2] for name in made] == ["foundation", "pcs"]


def test_the_role_of_the_provider_is_configurable(run: Any, tmp_path: Path) -> None:
    role = "arn:aws:iam::111122223333:role/parallelcluster"
    status, _, _ = run(spec=P5, target="parallelcluster", provider_role=role)
    assert status == 0
    text = (tmp_path / "out" / "llm-p5-parallelcluster.template.json").read_text()
    resources = json.loads(text)["Resources"]
    assert resources["Provider"]["Properties"]["Parameters"] == {"CustomLambdaRole": role}
    assert not [r for r in resources.values() if r["Type"] == "AWS::IAM::ManagedPolicy"]


def test_the_app_uses_every_module_of_a_target() -> None:
    modules = {path.stem.replace("_", "-") for path in (ROOT / "stacks").glob("*.py")}
    assert modules & {*targets.NAMES} == {*app.OWN_STACKS}


CONFIGURATION = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))
FLAGS = "package/recommended-feature-flags.json"


def recommended() -> dict[str, Any]:
    """The feature flags that the library recommends for new projects."""
    folder = Path(str(packaged.files(aws_cdk))) / "_jsii"
    (archive,) = folder.glob("aws-cdk-lib@*.jsii.tgz")
    with tarfile.open(archive) as opened:
        member = opened.extractfile(FLAGS)
        assert member is not None
        return dict(json.load(member))


def test_the_flags_are_those_that_the_library_recommends() -> None:
    flags = recommended()
    # With the partition that it leaves out.
    flags["@aws-cdk/core:target-partitions"] = ["aws", "aws-cn", "aws-us-gov"]
    assert {name: CONFIGURATION["context"].get(name) for name in flags} == flags


def test_the_command_is_pinned_and_can_read_what_the_library_writes() -> None:
    pinned = json.loads((ROOT / "package.json").read_text())["devDependencies"]["aws-cdk"]
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert locked["node_modules/aws-cdk"]["version"] == pinned
    # npm's `latest` is an old build under a new number, which cannot.
    assert re.fullmatch(r"2\.1\d{3}\.\d+", pinned)
    assert tuple(map(int, pinned.split("."))) >= (2, 1147, 0)


OFFLINE = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}


@IN_REAL
def test_the_command_works_without_a_network(command: None) -> None:
    context = ("-c", f"spec={P5}", "-c", "target=pcs")
    done = cdk("ls", *context, **OFFLINE)
    assert (done.status, "llm-p5-foundation\nllm-p5-pcs" in done.output) == (0, True), done.output


def test_the_command_passes_findings_on(command: None, spec: Any) -> None:
    done = cdk("synth", "-c", f"spec={spec(WRONG)}", **OFFLINE)
    assert done.status == 1
    assert "p5en.48xlarge" in done.output
    assert "Traceback" not in done.output


@IN_REAL
def test_versions_of_a_stack_are_compared_offline(command: None, run: Any, tmp_path: Path) -> None:
    assert run(spec=P5, target="pcs")[0] == 0
    context = ("-c", f"spec={P5}", "-c", "target=pcs")
    before = ("--template", tmp_path / "out" / "llm-p5-pcs.template.json")
    changed = ("-c", "set=node_groups.h100.count=32")
    done = cdk("diff", "llm-p5-pcs", "--exclusively", *before, *context, *changed, **OFFLINE)
    assert re.search(r"\[-\] 16\n.*\[\+\] 32", done.output), done.output
    assert "Number of stacks with differences: 1" in done.output

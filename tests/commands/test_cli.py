"""The command line: what each command says, where, and with which exit status."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from clustergen import targets
from clustergen.base import resources
from clustergen.checking import registry
from clustergen.plan.features import FEATURES
from tests.support.commands import Run, runner
from tests.support.scripts import completed
from tests.support.tables import flow
from tests.support.waiting import PATIENCE

SPECS = resources.tree("specs")
GOOD = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: cpu, instance_type: m7i.4xlarge, count: 2}
"""
WARNED = GOOD + "network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}\n"
WARNED = WARNED.replace("network: {zone: use1-az6}\n", "", 1)
WRONG = GOOD.replace("us-east-1", "us-east1")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in a folder with specs: good, warned, wrong and torn."""
    for name, text in (("good", GOOD), ("warned", WARNED), ("wrong", WRONG), ("torn", "a: [")):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


# Arguments, exit status, words on stdout, words on stderr.
ANSWERS: list[tuple[str, int, str, str]] = [
    ("--version", 0, "clustergen 0.1.0", ""),
    ("--help", 0, "examples:", ""),
    ("", 2, "", "COMMAND"),
    ("bogus", 2, "", "invalid choice: 'bogus'"),
    # check
    ("check good.yaml", 0, "", ""),
    ("check good.yaml --strict", 0, "", ""),
    ("check warned.yaml", 0, "warning[NET013]", ""),
    ("check warned.yaml --strict", 1, "warning[NET013]", ""),
    ("check wrong.yaml", 1, "help: did you mean us-east-1?", ""),
    ("check good.yaml wrong.yaml", 1, "--> wrong.yaml:3:9", ""),
    ("check torn.yaml", 1, "error[SPC002]", ""),
    ("check nowhere.yaml", 2, "cannot read nowhere.yaml", ""),
    ("check good.yaml nowhere.yaml", 2, "cannot read nowhere.yaml", ""),
    ("check", 2, "", "name a spec file, a folder of specs, or -f FILE"),
    ("check --target azure good.yaml", 2, "", "no target 'azure'; use parallelcluster, pcs"),
    ("check --output xml good.yaml", 2, "", "invalid choice: 'xml'"),
    # A new EKS cluster is none of HyperPod's, and the spec names no other.
    ("check good.yaml --target all", 0, "note[K8S431]", ""),
    ("check good.yaml --target pcs --target hyperpod", 0, "", ""),
    ("check good.yaml --target pcluster --target pcs", 0, "", ""),
    ("check good.yaml --set region=us-west-2", 1, "use1-az6 is in us-east-1, not in us-west-2", ""),
    ("check good.yaml --set node_groups.cpu.count=4", 0, "", ""),
    ("check good.yaml --set node_groups.cpu.count=none", 1, "'none' is not a count", ""),
    ("check good.yaml --set nonsense", 1, "this is not PATH=VALUE", ""),
    ("check -f good.yaml -f warned.yaml", 0, "--> warned.yaml:", ""),
    ("check warned.yaml -f good.yaml", 0, "", ""),
    # render
    (
        "render good.yaml",
        2,
        "",
        "good.yaml names no target; add --target parallelcluster|pcs|hyper",
    ),
    ("render good.yaml --target all", 0, "out/small/pcs: ", "note[K8S431]"),
    ("render good.yaml --target hyperpod", 0, "out/small/hyperpod-slurm: ", ""),
    ("render good.yaml --target pcluster -o here", 0, "here/small/parallelcluster: ", ""),
    ("render wrong.yaml --target pcs", 1, "", "error[NET001]"),
    ("render warned.yaml --target pcs --strict", 1, "out/small/pcs: ", "warning[NET013]"),
    ("render nowhere.yaml --target pcs", 2, "", "cannot read nowhere.yaml"),
    ("render good.yaml --target pcs -o good.yaml/x", 2, "", "error[BND005]"),
    ("render good.yaml good.yaml --target pcs", 1, "", "error[BND010]"),
    ("render good.yaml --target pcs --check", 1, "out/small/pcs: differs", "error[BND011]"),
    ("render good.yaml --target pcs --stdout", 0, '"AWSTemplateFormatVersion"', ""),
    ("render good.yaml --target pcs --stdout --file deploy.sh", 0, "#!/usr/bin/env bash", ""),
    ("render good.yaml --target pcs --stdout --file x", 2, "", "use one of README.md, bun"),
    ("render good.yaml --target all --stdout", 2, "", "--stdout takes one target; add --targ"),
    ("render good.yaml warned.yaml --target pcs --stdout", 2, "", "--stdout takes one spec"),
    ("render wrong.yaml --target pcs --stdout", 1, "", "error[NET001]"),
    ("render good.yaml --target pcs --file x", 2, "", "--file needs --stdout"),
    ("render good.yaml --target pcluster --outputs no.json", 2, "", "error[SPC040]"),
    ("render good.yaml --target pcluster --outputs good.yaml", 2, "", "is not JSON"),
    # explain
    ("explain NET001", 0, "Unknown region", ""),
    ("explain net001", 0, "NET001 error: Unknown region", ""),
    ("explain NET0001", 2, "", "did you mean NET"),
    ("explain XYZ", 2, "", "`clustergen explain` lists all codes"),
    ("explain", 0, "SPC020  Unknown key", ""),
    # catalog
    ("catalog p5en.48xlarge", 0, "8 x NVIDIA H200", ""),
    ("catalog p5en.48xlage", 2, "", "did you mean p5en.48xlarge?"),
    ("catalog", 2, "", "name instance types, or select them with --where"),
    ("catalog --where vcpus>=192", 0, "p6-b200.48xlarge", ""),
    ("catalog --where efaa", 2, "", "--where: "),
    # the rest
    ("schema", 0, '"title": "clustergen spec, version 1"', ""),
    ("targets", 0, "EFA", ""),
    ("targets --output markdown", 0, "# What each target supports", ""),
    ("completion bash", 0, "clustergen", ""),
    ("completion fish", 0, "complete -c clustergen", ""),
    ("completion csh", 2, "", "invalid choice: 'csh'"),
    ("init new", 0, "wrote new/cluster.yaml and new/clustergen.schema.json", ""),
    ("init good.yaml", 2, "", "cannot write good.yaml"),
    ("cdk init new", 0, "wrote new/cdk.json and new/package.json", ""),
    ("cdk init good.yaml", 2, "", "cannot write good.yaml"),
    ("init --preset list", 0, "gpu-slurm", ""),
    ("init --preset gpu", 2, "", "no preset 'gpu'; use one of cpu-hpc, gpu-slurm"),
]


@pytest.mark.parametrize(("arguments", "status", "out", "err"), ANSWERS, ids=lambda a: str(a)[:60])
def test_answers(run: Run, arguments: str, status: int, out: str, err: str) -> None:
    ran = run(*arguments.split())
    assert (ran.status, "Traceback" in ran.err) == (status, False), ran
    assert out in ran.out
    assert err in ran.err
    summary = ran.err.startswith("checked ")
    assert bool(err) == bool(ran.err and not summary) or status == 0, ran.err


# What tired people write; none of it may end in a traceback, and all of it is answered.
SLIPS: list[tuple[str, str]] = [
    ("", "error[SPC011]"),
    ("{}", "`version` is missing"),
    ("just some words", "error[SPC011]"),
    ("- a\n- b", "error[SPC011]"),
    ("version: 1", "`node_groups` is missing"),
    ("\tversion: 1", "error[SPC002]"),
    ("version: 1\nversion: 1", "error[SPC003]"),
    ("\x00\x01\x02", "error[SPC"),
    ("version: 1\n---\nversion: 1", "error[SPC008]"),
    (GOOD.replace("version: 1", "version: one"), "version"),
    (GOOD.replace("name: small", "name: Small Cluster"), "write small-cluster"),
    (GOOD.replace("count: 2", "count: two"), "'two' is not a count"),
    (GOOD.replace("count: 2", "count: -1"), "a count of -1 nodes"),
    (GOOD.replace("count: 2", "counts: 2"), "did you mean `count`?"),
    (GOOD.replace("m7i.4xlarge", "m7i.4xl"), "did you mean m7i.4xlarge?"),
    (GOOD.replace("m7i.4xlarge", "ml.m7i.4xlarge"), "error[CAP001]"),
    (GOOD.replace("use1-az6", "us-west-2a"), "us-west-2a is in us-west-2, not in us-east-1"),
    (GOOD.replace("{zone: use1-az6}", "use1-az6"), "write {zone: use1-az6}"),
    (GOOD.replace("{zone: use1-az6}", "[]"), "expected a mapping, found a list"),
    (GOOD.replace("node_groups:\n  - ", "node_groups: "), "begin each item with `- `"),
    (GOOD + "storage: [{mount: /fsx, type: lustre, size: 1200GiB}]", "did you mean fsx-lustre?"),
    (GOOD + "storage: [{mount: /fsx, type: fsx-lustre, size: 1200}]", "1200GiB or 1200TiB?"),
    (GOOD + "storage: [{mount: /fsx, type: fsx-lustre, size: 1300GiB}]", "1200GiB"),
    (GOOD + "queues: [{name: q, node_groups: [gpu]}]", "no node group is called 'gpu'"),
    (GOOD + "login: yes", "expected a mapping, found the text 'yes'"),
    (GOOD + "slurm: {settings: {SlurmctldHost: here}}\ntargets: {pcs: }", "SlurmctldHost"),
    (GOOD + "targets: {pcs: {overlay: {Resources: 5}}}", "error[OVL"),
    (GOOD + "targets: {parallelcluster: {overlay: {Scheduling: {Nonsense: 1}}}}", "error[OVL"),
    (GOOD + "targets: pcs", "expected a mapping, found the text 'pcs'"),
    (GOOD + "tags: {<<: *x}", "error[SPC00"),
    (GOOD + "users: [{name: root, uid: 0}]", "0 is below 1000"),
]


@pytest.mark.parametrize(("text", "words"), SLIPS)
@pytest.mark.parametrize("command", ["check", "render"])
def test_mistakes_are_reported(run: Run, command: str, text: str, words: str) -> None:
    Path("slip.yaml").write_bytes(text.encode())
    more = ["--target", "all"] if command == "render" and "targets:" not in text else []
    ran = run(command, "slip.yaml", *more)
    assert ran.status == 1, ran
    assert words in ran.out + ran.err


def test_a_spec_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
    ran = run("check", "-")
    assert ran.status == 1
    assert "error[NET001]" in ran.out


def test_files_merge_in_order(run: Run) -> None:
    Path("prod.yaml").write_text("node_groups: [{name: cpu, count: 0}]\nname: prod\n")
    ran = run("check", "-f", "good.yaml", "-f", "prod.yaml")
    assert ran.status == 1
    assert "--> prod.yaml:1:34" in ran.out
    assert run("check", "-f", "prod.yaml", "-f", "good.yaml").status == 0


def test_findings_name_the_argument_they_come_from(run: Run) -> None:
    ran = run("check", "good.yaml", "--set", "network.zone=use1-az9")
    assert "--> --set network.zone=use1-az9" in ran.out


FORMATS: list[tuple[str, Callable[[str], object]]] = [
    ("json", lambda out: json.loads(out)["findings"][0]["code"]),
    ("sarif", lambda out: json.loads(out)["runs"][0]["results"][0]["ruleId"]),
    ("github", lambda out: out.partition("title=")[2][:6]),
    ("text", lambda out: out[6:12]),
]


@pytest.mark.parametrize(("name", "code"), FORMATS, ids=[name for name, _ in FORMATS])
def test_formats(run: Run, name: str, code: Callable[[str], object]) -> None:
    ran = run("check", "wrong.yaml", "--output", name)
    assert (ran.status, code(ran.out)) == (1, "NET001")
    assert run("check", "good.yaml", "--output", name).status == 0


def test_stdout_has_only_json(run: Run) -> None:
    ran = run("render", "warned.yaml", "--target", "pcs", "--output", "json")
    assert json.loads(ran.out)["summary"]["warning"] >= 1
    assert "out/small/pcs: " in ran.err


def test_colour_only_on_request(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in run("check", "wrong.yaml").out
    assert "\x1b" in run("check", "wrong.yaml", "--color", "always").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("check", "wrong.yaml").out


# Bundles.


def test_rendering_again_changes_nothing(run: Run) -> None:
    first = run("render", "good.yaml", "--target", "pcs")
    assert ", 0 changed" not in first.out
    assert "none changed" not in first.out
    assert "none changed" in run("render", "good.yaml", "--target", "pcs").out
    assert run("render", "good.yaml", "--target", "pcs", "--check").status == 0


def test_a_changed_spec_is_detected(run: Run) -> None:
    run("render", "good.yaml", "--target", "pcs")
    change = ("--set", "node_groups.cpu.count=3")
    ran = run("render", "good.yaml", "--target", "pcs", "--check", *change)
    assert ran.status == 1
    assert "error[BND012]: out/small/pcs/cluster.template.json" in ran.err
    assert run("render", "good.yaml", "--target", "pcs", *change).status == 0


def test_a_file_edited_by_hand_is_not_overwritten(run: Run) -> None:
    run("render", "good.yaml", "--target", "pcs")
    edited = Path("out/small/pcs/deploy.sh")
    edited.write_text("mine\n", encoding="utf-8")
    ran = run("render", "good.yaml", "--target", "pcs")
    assert (ran.status, edited.read_text(encoding="utf-8")) == (1, "mine\n")
    assert "error[BND001]" in ran.err
    assert run("render", "good.yaml", "--target", "pcs", "--force").status == 0
    assert edited.read_text(encoding="utf-8") != "mine\n"


def test_an_error_in_one_target_does_not_block_others(run: Run) -> None:
    """ParallelCluster cannot take an interruptible reservation, PCS can."""
    block = "node_groups.cpu.capacity={interruptible_reservation: cr-0a1b2c3d}"
    both = ("--target", "pcluster", "--target", "pcs")
    ran = run("render", "good.yaml", *both, "--set", block)
    assert ran.status == 1
    assert "error[SUP001]" in ran.err
    assert Path("out/small/pcs/cluster.template.json").exists()
    assert not Path("out/small/parallelcluster").exists()
    allowed = run("render", "good.yaml", *both, "--set", block, "--allow-unsupported")
    assert allowed.status == 0
    assert "; omitted" in allowed.err


OUTPUTS = flow("""
{VpcId: vpc-0a1b2c3d, PrivateSubnetId: subnet-0a1b2c3d, PublicSubnetId: subnet-0b1b2c3d,
  ClusterSecurityGroupId: sg-0a1b2c3d, LoginSecurityGroupId: sg-0b1b2c3d,
  NodeRoleArn: 'arn:aws:iam::111122223333:role/aws-pcs/node',
  NodeInstanceProfileArn: 'arn:aws:iam::111122223333:instance-profile/aws-pcs/node',
  NodePolicyArn: 'arn:aws:iam::111122223333:policy/node',
  SessionPolicyArn: 'arn:aws:iam::111122223333:policy/session',
  ScriptsBucketName: scripts-111122223333}
""")


def test_outputs_fill_the_placeholders(run: Run) -> None:
    Path("outputs.json").write_text(json.dumps({"foundation": OUTPUTS}), encoding="utf-8")
    arguments = ("render", "good.yaml", "--target", "pcluster", "--outputs", "outputs.json")
    ran = run(*arguments)
    assert ran.status == 0, ran.err
    text = Path("out/small/parallelcluster/cluster.yaml").read_text(encoding="utf-8")
    assert "${" not in text
    assert "subnet-0a1b2c3d" in text
    assert yaml.safe_load(text)["Region"] == "us-east-1"


def test_a_document_is_not_written_with_a_placeholder_left(run: Run) -> None:
    lacking = {"foundation": {"VpcId": "vpc-0a1b2c3d"}}
    Path("outputs.json").write_text(json.dumps(lacking), encoding="utf-8")
    ran = run("render", "good.yaml", "--target", "pcluster", "--outputs", "outputs.json")
    assert ran.status == 1
    assert "cluster.yaml needs PrivateSubnetId" in ran.err
    assert not Path("out").exists()


# The other commands, whole.


def presets() -> list[str]:
    return [path.stem for path in sorted((resources.tree("templates") / "presets").glob("*.yaml"))]


@pytest.mark.parametrize("preset", presets())
def test_a_starter_is_valid(run: Run, preset: str) -> None:
    assert run("init", "--preset", preset, "new").status == 0
    assert run("check", "new/cluster.yaml").status == 0
    assert Path("new/cluster.yaml").read_text().startswith("# yaml-language-server: $schema=")
    assert json.loads(Path("new/clustergen.schema.json").read_text()) == json.loads(
        run("schema").out
    )
    assert "already exists; --force overwrites it" in run("init", "new").err
    assert run("init", "new", "--force").status == 0


def test_every_code_is_explained(run: Run) -> None:
    listed = [line.partition("  ")[0] for line in run("explain").out.splitlines()]
    assert listed == list(registry.by_code())
    # One of each group and target: what a page says of them all has tests of its own.
    groups = {(code[:3], rule.target): rule for code, rule in registry.by_code().items()}
    for rule in groups.values():
        ran, code = run("explain", rule.code), rule.code
        assert ran.status == 0
        assert ran.out.startswith(f"{code} {rule.severity}: {rule.title}")
        assert f"Source: {rule.source}" in ran.out


def test_the_support_matrix_has_every_feature(run: Run) -> None:
    rows = json.loads(run("targets", "--output", "json").out)
    assert [row["feature"] for row in rows] == [feature.id for feature in FEATURES]
    for row in rows:
        assert list(row["targets"]) == list(targets.NAMES)
        for answer in row["targets"].values():
            assert answer["level"] in ("full", "managed", "partial", "none")
            assert answer["source"]
            assert answer["how"] or answer["level"] == "full", row["feature"]
    text = run("targets").out
    width = text.index("AWS")
    titles = " ".join(line[:width].strip() for line in text.splitlines())
    for row in rows:
        assert row["title"] in titles
        for answer in row["targets"].values():
            assert f". {answer['checked']} {answer['source']} " in " ".join(text.split())


def test_the_cells_of_the_matrix_name_their_source(run: Run) -> None:
    text = run("targets").out
    numbered = dict(re.findall(r"^ +(\d+)\. 2\S+\s+(.+(?:\n {7}.+)*)$", text, re.MULTILINE))
    # A matrix of more targets than fit beside each other has several parts.
    spot = [line for line in text.splitlines() if line.startswith("Spot instances")]
    cells = re.findall(r"(full|managed|partial|none) (\d+)", " ".join(spot))
    answers = [targets.load(name).support["capacity.spot"] for name in targets.NAMES]
    shown = [(level, " ".join(numbered[n].split())) for level, n in cells]
    assert shown == [(a.level, a.source) for a in answers]


def test_the_catalog_as_json(run: Run) -> None:
    rows = json.loads(run("catalog", "p5.48xlarge", "trn2.48xlarge", "--output", "json").out)
    assert [row["name"] for row in rows] == ["p5.48xlarge", "trn2.48xlarge"]


# As a program.


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "clustergen", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.communicate()


def test_a_closed_pipe_is_not_an_error(program: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = program("catalog", "--where", "vcpus>=1")
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0


SPEC_OF_ONE = str(SPECS / "single-gpu-dev.yaml")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("command", ["check", "plan", "graph", "cost", "compare", "recommend"])
@pytest.mark.parametrize("streams", ["> /dev/full", "> /dev/full 2>&1", ">&-", ">&- 2>&-"])
def test_output_to_a_full_disk_or_a_closed_stream(command: str, streams: str) -> None:
    line = f"exec {sys.executable} -m clustergen {command} {SPEC_OF_ONE} {streams}"
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert ran.returncode == (2 if "full" in streams else 0)
    full = "clustergen: cannot write: No space left on device\n"
    if ">&-" not in streams:
        assert ran.stderr == (full if streams == "> /dev/full" else "")
    assert "Traceback" not in ran.stderr


def test_a_working_folder_that_was_deleted(tmp_path: Path) -> None:
    line = f"rmdir {tmp_path}; exec {sys.executable} -m clustergen check a.yaml"
    ran = completed("sh", "-c", line, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "clustergen: the working folder was deleted\n")


def test_the_package_runs_as_a_module(program: Callable[..., subprocess.Popen[bytes]]) -> None:
    out, err = program("check", str(SPECS / "single-gpu-dev.yaml")).communicate()
    assert err == b""
    process = program("check", "nowhere.yaml")
    out, err = process.communicate()
    assert (process.returncode, err) == (2, b"")
    assert b"cannot read nowhere.yaml" in out


def test_folders_are_searched_recursively(run: Run, tmp_path: Path) -> None:
    for name in ("specs/a.yaml", "specs/team/b.yml", "specs/.hidden/c.yaml", "specs/out/d.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WRONG, encoding="utf-8")
    (tmp_path / "specs/out/.clustergen.json").write_text("{}", encoding="utf-8")
    Path("specs", "notes.txt").write_text("no spec", encoding="utf-8")
    ran = run("check", "specs", "--target", "pcs")
    found = re.findall(r"--> (\S+?):", ran.out)
    assert sorted(set(found)) == ["specs/a.yaml", "specs/team/b.yml"]
    assert (ran.status, ran.err) == (1, "checked 2 specs for pcs\n")
    Path("empty").mkdir()
    assert run("check", "empty").err == "clustergen: empty has no .yaml files\n"


def test_a_check_without_a_target_reports_skipped_rules(run: Run) -> None:
    assert "it names no target, so no target rules ran" in run("check", "good.yaml").err
    assert run("check", "good.yaml", "--target", "eks").err == ""
    several = run("check", "good.yaml", "warned.yaml", "--target", "eks")
    assert several.err == "checked 2 specs for eks\n"
    assert run("check", "good.yaml", "--output", "json").err == ""


def test_a_pipe_without_a_writer(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clustergen.spec.source.reading._PIPE_SECONDS", 0.1)
    os.mkfifo(tmp_path / "pipe")
    ran = run("check", "pipe")
    assert ran.status == 2
    assert "nothing was written to this pipe" in ran.out


def test_a_pipe_with_a_writer(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clustergen.spec.source.reading._PIPE_SECONDS", PATIENCE)
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen(["cp", "good.yaml", "pipe"], cwd=tmp_path)
    assert run("check", "pipe").status == 0
    assert writer.wait() == 0


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("clustergen.checking.compiler.check", interrupt)
    assert run("check", "good.yaml").status == 130


def test_a_stream_that_is_not_utf_8(tmp_path: Path) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(GOOD + "tags: {owner: Zoë, 'ключ': 1}\nquees: [é]\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for arguments in (["check", "a.yaml"], ["render", "a.yaml", "--target", "pcs", "--stdout"]):
        ran = subprocess.run(
            [sys.executable, "-m", "clustergen", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert ran.returncode == 1
        assert b"quees" in ran.stdout + ran.stderr
        assert b"Traceback" not in ran.stderr


def test_a_link_in_place_of_the_folder_of_a_cluster(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "small").symlink_to(tmp_path / "elsewhere")
    ran = run("render", "good.yaml", "--target", "pcs", "-o", "out")
    assert ran.status == 1
    assert "out/small is a symbolic link" in ran.err
    assert not any((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("project", ["", "out = 'out'\n", "out = 'out/below'\n"])
def test_a_link_in_place_of_the_output_folder(run: Run, tmp_path: Path, project: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "out").symlink_to(elsewhere)
    (tmp_path / "clustergen.toml").write_text(project)
    ran = run("render", "good.yaml", "--target", "pcs")
    assert ran.status == 1
    assert "out is a symbolic link" in ran.err
    assert "with -o out" in ran.err
    assert not any(elsewhere.iterdir())
    assert run("render", "good.yaml", "--target", "pcs", "-o", "out").status == 0
    assert (elsewhere / "small" / "pcs").is_dir()


@pytest.mark.parametrize("out", ["../elsewhere", "out/../../elsewhere", "ABSOLUTE"])
def test_a_project_file_names_no_folder_outside(run: Run, tmp_path: Path, out: str) -> None:
    """Who renders a cloned repository did not write it."""
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    named = str(elsewhere) if out == "ABSOLUTE" else out.replace("elsewhere", elsewhere.name)
    (tmp_path / "clustergen.toml").write_text(f"strict = false\nout = '{named}'\n")
    ran = run("render", "good.yaml", "--target", "pcs")
    assert ran.status == 1
    assert "PRJ010" in ran.err
    assert "clustergen.toml:2:1" in ran.err
    assert f"with -o ../{elsewhere.name}" in ran.err
    assert not elsewhere.exists()
    # What writes nothing works, and so does a folder that the user names.
    assert run("check", "good.yaml", "--target", "pcs").status == 0
    assert run("render", "good.yaml", "--target", "pcs", "-o", str(elsewhere)).status == 0
    assert (elsewhere / "small" / "pcs").is_dir()


def test_crlf_line_ends_are_not_a_change(run: Run, tmp_path: Path) -> None:
    render = ("render", "good.yaml", "--target", "pcs", "-o", "out")
    assert run(*render).status == 0
    for path in (tmp_path / "out").rglob("*.*"):
        if path.is_file() and path.name != ".clustergen.json":
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    ran = run(*render, "--check")
    assert (ran.status, ran.out) == (0, "out/small/pcs: up to date\n")
    assert "has CRLF line ends" in ran.err
    assert run(*render, "--check", "--strict").status == 1
    assert "-text" in ran.err
    assert run(*render).status == 0
    assert run(*render, "--check").status == 0

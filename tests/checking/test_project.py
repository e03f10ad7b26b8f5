"""The project file: clusters of a repository, settings, and what is wrong with them."""

import json
import shutil
from pathlib import Path

import pytest

from clustergen import cli

BASE = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
"""
PROJECT = """\
out = "bundles"

[clusters.dev]
files = ["specs/base.yaml"]
targets = ["pcs"]

[clusters.prod]
files = ["specs/base.yaml", "specs/prod.yaml"]
set = ["name=production"]
targets = ["parallelcluster", "pcs"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a project file and two specs; the working folder."""
    (tmp_path / "specs" / "deep").mkdir(parents=True)
    (tmp_path / "specs" / "base.yaml").write_text(BASE, encoding="utf-8")
    (tmp_path / "specs" / "prod.yaml").write_text("tags: {stage: prod}\n", encoding="utf-8")
    (tmp_path / "clustergen.toml").write_text(PROJECT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


Capture = pytest.CaptureFixture[str]


def run(capture: Capture, *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capture.readouterr()
    return status, out, err


@pytest.mark.parametrize("below", [".", "specs", "specs/deep"])
def test_commands_without_arguments(
    below: str, folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / below)
    status, out, err = run(capsys, "check", "--output", "concise")
    assert status == 0
    assert [line.partition("[")[2][:6] for line in out.splitlines()[:-1]] == [
        "NET024",
        "NET013",
        "STG060",
    ]
    status, _, err = run(capsys, "check")
    assert err == "checked 2 specs for parallelcluster, pcs\n"
    status, _, err = run(capsys, "render")
    assert status == 0
    bundles = sorted(str(path.relative_to(folder)) for path in folder.glob("bundles/*/*"))
    assert bundles == [
        "bundles/example/pcs",
        "bundles/production/parallelcluster",
        "bundles/production/pcs",
    ]
    status, out, _ = run(capsys, "compare")
    assert (status, out.count("feature ")) == (0, 2)


def test_a_cluster_by_name(folder: Path, capsys: Capture) -> None:
    run(capsys, "render", "prod", "--target", "pcs", "-o", "elsewhere")
    assert [path.name for path in (folder / "elsewhere").glob("*/*")] == ["pcs"]
    assert "stage" in (folder / "elsewhere/production/pcs/cluster.template.json").read_text("utf-8")
    assert run(capsys, "check", "staging")[0] == 2


def test_overlays_are_not_taken_for_specs(folder: Path, capsys: Capture) -> None:
    assert run(capsys, "check", "specs", "--target", "pcs")[0] == 0
    (folder / "clustergen.toml").unlink()
    assert run(capsys, "check", "specs", "--target", "pcs")[0] == 1


def test_settings(folder: Path, capsys: Capture) -> None:
    strict = "strict = true\n" + PROJECT
    (folder / "clustergen.toml").write_text(strict, encoding="utf-8")
    assert run(capsys, "check")[0] == 1
    ignored = strict + '[ignore]\nNET = "a firewall filters it"\nSTG060 = "nothing is kept"\n'
    (folder / "clustergen.toml").write_text(ignored, encoding="utf-8")
    assert run(capsys, "check")[0] == 0
    assert run(capsys, "check", "specs/base.yaml")[0] == 0


def test_a_code_that_hides_nothing(folder: Path, capsys: Capture) -> None:
    idle = PROJECT + '[ignore]\nFSX006 = "tested"\nNET013 = "a firewall filters it"\n'
    (folder / "clustergen.toml").write_text(idle, encoding="utf-8")
    status, out, _ = run(capsys, "check", "--output", "concise")
    assert status == 0
    assert "clustergen.toml:12:1: warning[PRJ004] no cluster has a finding FSX006" in out
    assert out.count("PRJ004") == 1
    assert "PRJ004" not in run(capsys, "check", "dev")[1]


def test_in_pyproject(folder: Path, capsys: Capture) -> None:
    (folder / "clustergen.toml").unlink()
    assert run(capsys, "check")[0] == 2
    text = PROJECT.replace("[clusters", "[tool.clustergen.clusters")
    text = text.replace('out = "bundles"', '[tool.clustergen]\nout = "bundles"\nfast = true')
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n" + text, encoding="utf-8")
    _, out, _ = run(capsys, "check", "--output", "concise")
    assert "pyproject.toml:5:1: error[PRJ002] there is no setting fast" in out
    (folder / "pyproject.toml").write_text(text.replace("fast = true", ""), encoding="utf-8")
    assert run(capsys, "check")[0] == 0


@pytest.mark.parametrize(
    ("text", "line", "finding"),
    [
        ("x = = 1", 1, "PRJ001"),
        ("\n\nclusters = 3", 3, "PRJ003"),
        ("strct = true", 1, "PRJ002"),
        ("strict = 'yes'", 1, "PRJ003"),
        ("out = ''", 1, "PRJ003"),
        ("[clusters.a]\ntargets = ['pcs']", 1, "PRJ003"),
        ("[clusters.a]\nfiles = 'a.yaml'", 2, "PRJ003"),
        ("[clusters.a]\nfiles = []", 2, "PRJ003"),
        ("[clusters.a]\nfiles = ['a.yaml']\nsets = ['a=b']", 3, "PRJ002"),
        ("[clusters.a]\nfiles = ['a.yaml']\ntargets = ['psc']", 3, "PRJ003"),
        ("[clusters]\na = 'a.yaml'", 2, "PRJ003"),
        ("[ignore]\nNET013 = ''", 2, "PRJ003"),
        ("[ignore]\nNET13 = 'tested'", 2, "PRJ003"),
        ("ignore = ['NET013']", 1, "PRJ003"),
    ],
)
def test_what_is_wrong_is_a_finding_with_a_way_out(
    text: str, line: int, finding: str, folder: Path, capsys: Capture
) -> None:
    (folder / "clustergen.toml").write_text(text, encoding="utf-8")
    status, out, err = run(capsys, "check")
    assert status == 2
    assert f"error[{finding}]" in out
    assert f"clustergen.toml:{line}:" in out
    assert "= help: " in out
    assert err == ""


def test_values_are_not_printed(folder: Path, capsys: Capture) -> None:
    """A value in the wrong place may be a secret."""
    (folder / "clustergen.toml").write_text("strict = 'hunter2-hunter2'\n", encoding="utf-8")
    assert "a text" in run(capsys, "check", "--output", "json")[1]
    assert "hunter2" not in run(capsys, "check", "--output", "json")[1]


def test_a_file_that_cannot_be_read(folder: Path, capsys: Capture) -> None:
    (folder / "clustergen.toml").write_bytes(b"strict = '\xff'\n")
    status, out, _ = run(capsys, "check")
    assert (status, "error[PRJ001]" in out) == (2, True)


# -- what the foundation serves -------------------------------------------------------------------

ROLES = {"HyperPodExecutionRole", "ControlPlaneSubnet1"}


def roles(bundle: str) -> set[str]:
    template = json.loads(Path(bundle, "foundation.template.json").read_text(encoding="utf-8"))
    return {name for name in ROLES if name in template["Resources"]}


def test_a_declared_target_narrows_the_foundation_however_it_is_named(
    folder: Path, capsys: Capture
) -> None:
    run(capsys, "render", "dev")
    whole = Path("bundles/example/pcs/foundation.template.json").read_text(encoding="utf-8")
    assert roles("bundles/example/pcs") == set()
    for named in (["specs/base.yaml", "--target", "pcs"], ["dev", "--target", "pcs"]):
        status, out, err = run(capsys, "render", *named, "--check")
        assert (status, "BND030" in out + err) == (0, False), named
    run(capsys, "render", "dev", "--target", "eks", "-o", "other")
    assert roles("other/example/eks") == {"ControlPlaneSubnet1"}
    assert whole == Path("bundles/example/pcs/foundation.template.json").read_text("utf-8")


def test_targets_of_the_command_line_alone_do_not_take_roles_from_each_other(
    folder: Path, capsys: Capture
) -> None:
    """Each of two renders, for one target, gives the foundation that both bundles share."""
    (folder / "clustergen.toml").unlink()
    for target in ("pcs", "eks"):
        status, _, err = run(capsys, "render", "specs/base.yaml", "--target", target, "-o", "out")
        assert status == 0
        assert "warning[BND030]: example names no targets" in err
        assert "HyperPodExecutionRole" in err
        assert f"write targets: {{{target}: {{}}}}" in err
    both = [Path("out/example", name, "foundation.template.json") for name in ("pcs", "eks")]
    assert both[0].read_bytes() == both[1].read_bytes()
    assert run(capsys, "render", "specs/base.yaml", "--target", "pcs", "--strict")[0] == 1


def test_a_narrower_foundation_names_the_bundle_that_needs_more(
    folder: Path, capsys: Capture
) -> None:
    run(capsys, "render", "dev", "--target", "pcs,eks")
    status, _, err = run(capsys, "render", "dev")
    assert status == 0
    assert "warning[BND031]: bundles/example/eks is a bundle of this spec" in err
    assert "ControlPlaneSubnet1" in err
    shutil.rmtree("bundles/example/eks")
    assert "BND031" not in run(capsys, "render", "dev")[2]

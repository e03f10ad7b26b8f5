"""``clustergen import`` as a command."""

import json
from pathlib import Path

import pytest

from clustergen.cli import main
from clustergen.importing.conversion import Imported
from tests.importing.clusters import SMALL
from tests.importing.test_batch import TEMPLATE as BATCH
from tests.importing.test_eksctl import CONFIG
from tests.importing.test_pcs import TEMPLATE as PCS
from tests.support.checking import check


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my-cluster.yaml"
    path.write_text("Region: us-west-2\n" + SMALL, encoding="utf-8")
    return path


def test_it_prints_a_spec_that_checks(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = file.with_name("spec.yaml")
    assert main(["import", str(file), "-o", str(spec), "--vpc", "vpc-0a1b2c3d4e5f67890"]) == 0
    assert "the spec renders to the same configuration" in capsys.readouterr().err
    assert spec.read_text().splitlines()[2] == "name: my-cluster"
    assert main(["check", str(spec)]) == 0


def test_it_overwrites_no_spec_unasked(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = file.with_name("spec.yaml")
    spec.write_text("mine")
    assert main(["import", str(file), "-o", str(spec)]) == 2
    assert spec.read_text() == "mine"
    assert "--force" in capsys.readouterr().err
    assert main(["import", str(file), "-o", str(spec), "--force"]) == 0


def test_the_report_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text() + "DevSettings: {NodePackage: s3://my-bucket/node.tgz}\n")
    assert main(["import", str(file), "-o", str(file.with_name("s.yaml")), "--output", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert {each["code"] for each in found} >= {"IMP002", "IMP005"}


@pytest.mark.parametrize(
    ("template", "flag", "said"),
    [
        (True, ["--name", "other"], "--name other: the configuration has a name, research"),
        (True, ["--name", "research"], ""),
        (True, ["--parameter", "Subnet=subnet-1"], "--parameter Subnet: no file has this name\n"),
        (
            True,
            ["--parameter", "Keys=dev"],
            "--parameter Keys: no file has this name; did you mean Key?",
        ),
        (True, ["--parameter", "Key=dev"], ""),
        (False, ["--adopt", "--stack", "mine"], "--stack: the cluster is found by its own name"),
        (False, ["--name", "other"], ""),
    ],
)
def test_a_flag_without_effect_is_named(
    file: Path, template: bool, flag: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if template:
        file.write_text(PCS.replace("!Sub '${AWS::StackName}'", "research"))
    main(["import", str(file), *flag])
    found = [
        x for x in capsys.readouterr().err.splitlines(True) if x.startswith("note[IMP003]: --")
    ]
    assert [said in each for each in found] == [True] * bool(said)


def test_a_loss_is_an_error_unless_allowed(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lossy = Imported("version: 1\n", (), False, 1, 0)
    monkeypatch.setattr("clustergen.commands.importing.imported", lambda request: lossy)
    assert main(["import", str(file)]) == 1
    assert main(["import", str(file), "--allow-loss"]) == 0
    assert "loses something" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing.yaml"],
        ["x.yaml", "--zone", "a=b"],
        ["x.yaml", "--zone", "somewhere"],
        ["x.yaml", "--vpc", "platform"],
        ["x.yaml", "--region", "mars"],
    ],
)
def test_bad_arguments(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text(SMALL)
    assert main(["import", *arguments]) == 2


def test_a_zone_of_another_region_does_not_apply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text(f"Region: us-west-2\n{SMALL}")
    main(["import", "x.yaml", "--zone", "apne1-az4", "-o", "spec.yaml"])
    assert "--zone apne1-az4 does not apply" in capsys.readouterr().out
    assert "zone: apne1" not in (tmp_path / "spec.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (SMALL, "a ParallelCluster configuration"),
        (CONFIG, "an eksctl configuration"),
        (str(BATCH), "an AWS Batch environment"),
        (PCS, "an AWS PCS cluster"),
    ],
)
def test_check_points_to_import(text: str, kind: str) -> None:
    (finding,) = check(text).findings
    assert (finding.code, finding.message) == ("SPC026", f"this is {kind}, not a spec")
    assert "clustergen import" in finding.help


def test_a_directory_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(tmp_path)]) == 2
    assert "name the files of one cluster" in capsys.readouterr().err

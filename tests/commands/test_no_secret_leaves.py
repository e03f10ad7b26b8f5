"""No secret comes out of any command, in any format: planted ones of every kind, in every place."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from clustergen import output
from clustergen.checking import compiler, registry
from clustergen.cli import main
from clustergen.importing import Answers, Request, imported
from tests.support.planted import KINDS, Planted, broken_specs, configurations, spec
from tests.support.tables import flow

_FORMATS = ("text", "json", "sarif", "github", "gitlab", "markdown", "concise", "statistics")
COMMANDS: dict[str, list[str]] = flow("""
parallelcluster: [plan s.yaml --output yaml, graph s.yaml, check --diff --unsafe-fixes s.yaml]
pcs: [render s.yaml -o out, render s.yaml -o out --check, diff o.yaml s.yaml --all]
batch: [cost s.yaml, plan s.yaml --output json, diff o.yaml s.yaml --output json]
eks: [report s.yaml -o page.html, move s.yaml --from eks --to pcs, compare s.yaml, recommend s.yaml]
""")
"""Commands by the target of their spec: each once, the formats of findings for all."""


def leaked(output: str, parts: Sequence[str]) -> list[str]:
    return [output[max(output.index(p) - 60, 0) :][:160] for p in parts if p in output]


@pytest.mark.parametrize("target", COMMANDS)
def test_commands(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    planted = Planted(5 * list(COMMANDS).index(target))
    Path("s.yaml").write_text(spec(target, planted, 2), encoding="utf-8")
    Path("o.yaml").write_text(spec(target, planted, 4), encoding="utf-8")
    checked = compiler.check("s.yaml")
    assert not [f for f in checked.findings if f.severity == "error"]
    text = "".join(output.render(f, checked.findings, registry.by_code()) for f in _FORMATS)
    for command in COMMANDS[target]:
        assert main(command.split()) in {0, 1}
        text += "".join(capsys.readouterr())
    text += "".join(page.read_text(encoding="utf-8") for page in tmp_path.glob("*.html"))
    assert leaked(text, planted.parts) == []


def test_each_secret_of_a_spec_is_a_warning() -> None:
    planted = Planted(0)
    found = compiler.check_text(spec("pcs", planted, 2)).findings
    warned = {f.path for f in found if f.code == "SPC060"}
    assert {path[0] for path in warned} >= {"tags", "software", "slurm", "node_groups", "targets"}
    arguments = [path for path in warned if "args" in path]
    assert sorted(path[-1] for path in arguments) == [1, 2, 3, 4]


@pytest.mark.parametrize("first", [0, 7, 14])
def test_errors_in_a_spec(first: int) -> None:
    planted = Planted(first)
    for broken in broken_specs(planted):
        findings = compiler.check_text(broken).findings
        assert findings
        text = "".join(output.render(f, findings, registry.by_code()) for f in _FORMATS)
        assert leaked(text, planted.parts) == [], broken


def test_set_arguments_and_the_project_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    planted = Planted(0)
    Path("s.yaml").write_text("version: 1\nname: example\n", encoding="utf-8")
    for argument in (
        f"password='{planted.named()}",
        f"tags.x={KINDS[5].text}: y",
        f"a_token={planted.named()} #{planted.named()}",
    ):
        assert main(["check", "s.yaml", "--set", argument]) == 1
    token = planted.named()
    Path("clustergen.toml").write_text(
        f'[clusters.a]\nfiles = ["s.yaml"]\nset = ["tags.api_key={token}"]\npassword = "{token}"\n'
    )
    assert main(["check"]) == 2
    assert leaked("".join(capsys.readouterr()), [*planted.parts, KINDS[5].text]) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("first", [0, 7, 13])
def test_imports(first: int) -> None:
    planted = Planted(first)
    for name, text in configurations(planted).items():
        for written in (text, text + "\n  : [{"):
            request = Request([(name, written)], Answers("a", "us-west-2", "", {}, False, {}))
            result = imported(request)
            printed = "".join(output.render(f, result.findings, {}) for f in _FORMATS[1:6])
            assert leaked(printed + result.text, planted.parts) == [], name
            assert result.findings
            assert not result.lossless


def test_an_imported_spec_has_stand_ins_and_says_so() -> None:
    texts = configurations(Planted(0))
    request = Request(
        [("batch.yaml", texts["batch.yaml"])], Answers("a", "us-west-2", "", {}, False, {})
    )
    result = imported(request)
    places = [(f.path, f.span and f.span.line) for f in result.findings if f.code == "IMP007"]
    assert len(places) >= 6
    assert all(path and line for path, line in places)
    data = yaml.safe_load(result.text)
    overlay = data["targets"]["batch"]["overlay"]["Resources"]
    values = overlay["JobDefinition"]["Properties"]["ContainerProperties"]["Environment"]
    assert values[0] == {"Name": "DB_PASSWORD", "Value": "FILL-IN-DB_PASSWORD"}
    script = overlay["LaunchTemplateCE"]["Properties"]["LaunchTemplateData"]["UserData"][
        "Fn::Base64"
    ]
    assert "export AWS_SECRET_ACCESS_KEY=FILL-IN-AWS_SECRET_ACCESS_KEY\n" in script
    found = compiler.check_text(result.text).findings
    assert "SPC060" not in {f.code for f in found}
    assert any(f.code == "SPC061" and "FILL-IN-DB_PASSWORD" in f.message for f in found)


def test_an_import_keeps_logical_ids() -> None:
    texts = configurations(Planted(0))
    request = Request(
        [("eks.yaml", texts["eks.yaml"])], Answers("a", "us-west-2", "", {}, True, {})
    )
    result = imported(request)
    assert "AccessEntryArnAwsIam111122223333RoleTeam" in result.text
    assert "NodeGroupLaunchTemplateP4d24xlargeEfaAmi" in result.text
    assert not re.search(r"\*\*\*", result.text)

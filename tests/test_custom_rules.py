"""Custom rules: a whole project with its own rules, and everything that can be wrong with them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clustergen
from clustergen import cli, project
from clustergen.custom_rules import loading
from clustergen.plan.model import Plan
from clustergen.project.loading import load

SPEC = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
"""
PROJECT = """\
[rules]
files = ["rules"]

[clusters.dev]
files = ["specs/base.yaml"]
targets = ["parallelcluster", "pcs"]
"""
HEAD = """\
from clustergen import Plan, Problem, Severity, rule

"""
RULES = (
    HEAD
    + """\
from ._names import TEAM


@rule(
    "ACME001",
    "A cluster without a team",
    why="Finance bills clusters by team.",
    source="https://wiki.example.com/tags",
    bad="tags: {stage: dev}",
    good="tags: {team: vision}",
)
def has_team(plan):
    if TEAM not in plan.tags:
        yield Problem(("tags",), "this cluster has no team", help=f"add a tag {TEAM}")


@rule(
    "ACME002",
    "Large clusters on PCS",
    why="Our contract covers two nodes.",
    source="the contract",
    severity=Severity.WARNING,
    target="pcs",
)
def few_nodes(plan):
    for group in plan.node_groups:
        if group.max > 1:
            yield Problem(group.at("count"), f"{group.max} nodes", help="write 1")
"""
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository with a project file, a spec and two rules; the working folder."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "base.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "clustergen.toml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "contract.py").write_text(RULES, encoding="utf-8")
    (tmp_path / "rules" / "_names.py").write_text('TEAM = "team"\n', encoding="utf-8")
    (tmp_path / "rules" / "test_contract.py").write_text("import no_such_module\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    loading._forget()


Capture = pytest.CaptureFixture[str]


def run(capture: Capture, *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capture.readouterr()
    return status, out, err


def lines(capture: Capture, *arguments: str) -> list[str]:
    return run(capture, "check", *arguments, "--output", "concise")[1].splitlines()


def test_they_run_beside_ours(folder: Path, capsys: Capture) -> None:
    status, out, _ = run(capsys, "check", "--output", "concise")
    assert status == 1
    assert [line.partition("]")[0] for line in out.splitlines()] == [
        "specs/base.yaml:1:1: error[ACME001",
        "specs/base.yaml:4:37: warning[NET024",
        "specs/base.yaml:4:38: warning[NET013",
        "specs/base.yaml:5:65: warning[ACME002",
        "1 error, 3 warnings",
    ]
    assert list((folder / "rules").glob("__pycache__")) == []


def test_they_prevent_rendering(folder: Path, capsys: Capture) -> None:
    assert run(capsys, "render", "-o", "out")[0] == 1
    assert not (folder / "out").exists()
    assert run(capsys, "render", "-o", "out", "--set", "tags.team=vision")[0] == 0
    assert (folder / "out").exists()


def test_explain(folder: Path, capsys: Capture) -> None:
    status, out, _ = run(capsys, "explain", "acme001")
    assert status == 0
    assert out.startswith("ACME001 error: A cluster without a team\n")
    assert "Finance bills clusters by team." in out
    assert "https://wiki.example.com/tags" in out
    assert "ACME002  Large clusters on PCS\n" in run(capsys, "explain")[1]
    status, _, err = run(capsys, "explain", "ACME01")
    assert (status, "did you mean ACME001?" in err) == (2, True)
    assert run(capsys, "explain", "ACME001", "--no-custom-rules")[0] == 2


def test_select_and_ignore(folder: Path, capsys: Capture) -> None:
    assert [line[:40] for line in lines(capsys, "--select", "ACME")] == [
        "specs/base.yaml:1:1: error[ACME001] this",
        "specs/base.yaml:5:65: warning[ACME002] 2",
        "1 error, 1 warning",
    ]
    assert not any("ACME002" in line for line in lines(capsys, "--ignore", "ACME002"))
    assert run(capsys, "check", "--ignore", "ACNE")[0] == 2


def test_comments_ignore_them(folder: Path, capsys: Capture) -> None:
    spec = folder / "specs" / "base.yaml"
    comment = "# clustergen: ignore[ACME002] because it is a test\n"
    spec.write_text(SPEC.replace("node_groups", comment + "node_groups"), encoding="utf-8")
    assert "ACME002" not in " ".join(lines(capsys))
    # Without the rules, nothing is known about the comment.
    assert "ACME002" not in " ".join(lines(capsys, "--no-custom-rules"))
    spec.write_text(spec.read_text("utf-8").replace("count: 2", "count: 1"), encoding="utf-8")
    assert any("there is no ACME002 to ignore here" in line for line in lines(capsys))


def test_the_project_file_ignores_them(folder: Path, capsys: Capture) -> None:
    ignored = PROJECT + '[ignore]\nACME002 = "a test"\n'
    (folder / "clustergen.toml").write_text(ignored, encoding="utf-8")
    assert "ACME002" not in " ".join(lines(capsys))
    assert "ACME002" not in " ".join(lines(capsys, "--no-custom-rules"))
    (folder / "clustergen.toml").write_text(ignored.replace("ACME002", "ACME003"))
    assert "no finding has the code ACME003" in " ".join(lines(capsys))


def test_reports(folder: Path, capsys: Capture) -> None:
    found = json.loads(run(capsys, "check", "--output", "json")[1])["findings"]
    [first, *_] = [finding for finding in found if finding["code"] == "ACME001"]
    assert (first["title"], first["url"], first["help"]) == (
        "A cluster without a team",
        "https://wiki.example.com/tags",
        "add a tag team",
    )
    [log] = json.loads(run(capsys, "check", "--output", "sarif")[1])["runs"]
    rules = {rule["id"]: rule for rule in log["tool"]["driver"]["rules"]}
    assert rules["ACME001"]["helpUri"] == "https://wiki.example.com/tags"
    assert rules["ACME002"]["defaultConfiguration"] == {"level": "warning"}
    assert "::warning file=specs/base.yaml" in run(capsys, "check", "--output", "github")[1]
    assert "ACME001  A cluster without a team" in run(capsys, "check", "--statistics")[1]
    assert run(capsys, "compare", "--output", "json")[0] == 0


def test_without_them(folder: Path, capsys: Capture) -> None:
    (folder / "rules" / "contract.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    for command in (["check"], ["render"], ["compare"], ["explain"]):
        assert run(capsys, *command, "--no-custom-rules")[0] == 0


def test_a_spec_that_cannot_be_planned(folder: Path, capsys: Capture) -> None:
    """Our findings come first: custom rules take a plan."""
    wrong = SPEC.replace("p5en.48xlarge", "p5en.47xlarge")
    (folder / "specs" / "base.yaml").write_text(wrong, encoding="utf-8")
    out = lines(capsys)
    assert not any("ACME" in line or "PRJ" in line for line in out)
    assert any("NIC" in line or "CAP" in line or "SPC" in line for line in out)


# -- what is wrong with them ----------------------------------------------------------------------

GOOD = '@rule("ACME003", "Title", why="Reason.", source="a test")\n'
FAULTS = {
    "import error": ("import no_such_module", 1, "PRJ005", "ModuleNotFoundError: No module named"),
    "syntax": ("x = 1\ndef f(:\n", 2, "PRJ005", "SyntaxError"),
    "exit": ("import sys\nsys.exit()", 2, "PRJ005", "SystemExit"),
    "bytes": ("# \x00", 1, "PRJ005", "null bytes"),
    "no parentheses": ("@rule\ndef f(plan): ...", 3, "PRJ005", "TypeError"),
    "no reason": ('@rule("ACME003", "Title")\ndef f(plan): ...', 3, "PRJ005", "'why'"),
    "no rule": ("x = 1", 2, "PRJ005", "extra.py declares no rule"),
    "code": (GOOD.replace("ACME003", "acme-3") + "def f(plan): ...", 3, "PRJ006", "'acme-3'"),
    "no code": (GOOD.replace('"ACME003"', "3") + "def f(plan): ...", 3, "PRJ006", "3 is not"),
    "our code": (GOOD.replace("ACME", "NET") + "def f(plan): ...", 3, "PRJ006", "with NET"),
    "our area": (GOOD.replace("ACME", "NETWORK") + "def f(plan): ...", 3, "PRJ006", "with NET"),
    "twice": (GOOD.replace("003", "001") + "def f(plan): ...", 3, "PRJ006", "two rules have"),
    "title": (GOOD.replace("Title", " ") + "def f(plan): ...", 3, "PRJ006", "no text as its title"),
    "why": (GOOD.replace('"Reason."', "7") + "def f(plan): ...", 3, "PRJ006", "as its why"),
    "severity": (
        GOOD.replace(")\n", ', severity="bad")\n') + "def f(plan): ...",
        3,
        "PRJ006",
        "no valid severity",
    ),
    "target": (
        GOOD.replace(")\n", ', target="psc")\n') + "def f(plan): ...",
        3,
        "PRJ006",
        "a target 'psc'",
    ),
    "fatal": (
        GOOD.replace(")\n", ", fatal=True)\n") + "def f(plan): ...",
        3,
        "PRJ006",
        "only our rules",
    ),
    "no check": (
        'from clustergen import Rule\nX = Rule("ACME003", "T", "W.", "s")',
        1,
        "PRJ006",
        "has no check",
    ),
    "exception": (GOOD + "def f(plan):\n    return [1 / 0]", 5, "PRJ007", "division by zero"),
    "after a finding": (
        GOOD + "def f(plan):\n    yield Problem((), 'one')\n    raise SystemExit(3)",
        6,
        "PRJ007",
        "SystemExit: 3",
    ),
    "in the library": (GOOD + "def f(plan):\n    return plan.tgs", 5, "PRJ007", "AttributeError"),
    "recursion": (GOOD + "def f(plan):\n    return f.check(plan)", 5, "PRJ007", "RecursionError"),
    "text": (GOOD + "def f(plan):\n    yield 'one'", 3, "PRJ007", "yields of type str"),
    "nothing": (GOOD + "def f(plan): ...", 3, "PRJ007", "NoneType"),
    "path": (GOOD + "def f(plan):\n    yield Problem('tags', 'one')", 3, "PRJ007", "the path of"),
    "message": (GOOD + "def f(plan):\n    yield Problem((), 7)", 3, "PRJ007", "the message of"),
    "fix": (
        GOOD + "def f(plan):\n    yield Problem((), 'one', fix=('tags', 1))",
        3,
        "PRJ007",
        "the fix of a problem is of type tuple",
    ),
    "severity found": (
        GOOD + "def f(plan):\n    yield Problem((), 'one', severity='bad')",
        3,
        "PRJ007",
        "'bad' is not a valid Severity",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_finding_at_its_line_and_hides_nothing(
    name: str, folder: Path, capsys: Capture
) -> None:
    text, line, code, message = FAULTS[name]
    # A folder takes modules without rules; a file that is named must have some.
    named = PROJECT.replace('["rules"]', '["rules/contract.py", "rules/extra.py"]')
    (folder / "clustergen.toml").write_text(named, encoding="utf-8")
    head = "" if code == "PRJ005" and "@rule" not in text else HEAD
    head = head if "import Rule" not in text else ""
    (folder / "rules" / "extra.py").write_text(head + text, encoding="utf-8")
    status, out, err = run(capsys, "check", "--output", "concise")
    assert (status, err) == (2, "")
    [found] = [each for each in out.splitlines() if "PRJ" in each]
    file = "clustergen.toml" if name == "no rule" else "rules/extra.py"
    assert found.startswith(f"{file}:{line}:"), out
    assert f"error[{code}]" in found
    assert message in found
    for ours in ("NET013", "NET024", "ACME001", "ACME002"):
        assert ours in out
    assert ("error[ACME003] one" in out) is (name == "after a finding")
    assert run(capsys, "render", "--set", "tags.team=vision")[0] == 2
    assert not (folder / "out").exists()
    text_report = run(capsys, "check")[1]
    assert "Traceback" not in text_report
    assert "help: " in text_report


ODD_FIXES = [
    'safe(put(("tags", "team"), object()))',
    'safe(put("tags", {1: {2}}))',
    'safe(put(("node_groups", "a", None), 1))',
    'safe(drop(("node_groups", 7, "x")))',
    'safe(rename(("tags",), 5))',
    "safe(put((), []))",
]


@pytest.mark.parametrize("fix", ODD_FIXES)
@pytest.mark.parametrize("output", ["json", "sarif"])
def test_a_fix_that_makes_no_sense(fix: str, output: str, folder: Path, capsys: Capture) -> None:
    text = HEAD + "from clustergen import drop, put, rename, safe\n" + GOOD
    text += f"def f(plan):\n    yield Problem(('tags',), 'one', fix={fix})\n"
    (folder / "rules" / "contract.py").write_text(text, encoding="utf-8")
    status, out, _ = run(capsys, "check", "--output", output)
    assert status in (1, 2)
    assert json.loads(out)


def test_what_is_printed_stays_out_of_reports(folder: Path, capsys: Capture) -> None:
    noisy = RULES.replace("    if TEAM", "    print('checking')\n    if TEAM")
    (folder / "rules" / "contract.py").write_text("print('loading')\n" + noisy)
    _, out, err = run(capsys, "check", "--output", "json")
    assert json.loads(out)
    assert err.split() == ["loading", "checking", "checking"]


@pytest.mark.parametrize(
    ("settings", "line", "message"),
    [
        ('files = ["rulez"]', 2, "there is no rulez"),
        ('files = ["specs"]', 2, "specs declares no rule"),
        ('files = ["specs/base.yaml"]', 2, "a file of rules is a Python file"),
        ('entry_points = ["acme"]', 2, "no installed package has an entry point acme"),
        ('file = ["rules"]', 2, "there is no setting rules.file"),
        ('files = "rules"', 2, "rules.files is a text"),
    ],
)
def test_settings(settings: str, line: int, message: str, folder: Path, capsys: Capture) -> None:
    text = PROJECT.replace('files = ["rules"]', settings)
    (folder / "clustergen.toml").write_text(text, encoding="utf-8")
    status, out, _ = run(capsys, "check", "--output", "concise")
    assert status == 2
    assert f"clustergen.toml:{line}:1: error[PRJ00" in out
    assert message in out


def test_an_installed_package(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = folder / "site"
    (site / "acme_rules-1.dist-info").mkdir(parents=True)
    (site / "acme_rules-1.dist-info" / "METADATA").write_text("Name: acme-rules\nVersion: 1\n")
    entries = "[clustergen.rules]\nacme = acme_rules\nlist = acme_rules:RULES\nbad = acme_rules:X\n"
    (site / "acme_rules-1.dist-info" / "entry_points.txt").write_text(entries)
    rules = RULES.replace("from ._names import TEAM", 'TEAM = "team"') + "RULES = [has_team]\n"
    (site / "acme_rules.py").write_text(rules, encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    for name, codes in (("acme", {"ACME001", "ACME002"}), ("list", {"ACME001"}), ("bad", set())):
        text = PROJECT.replace('files = ["rules"]', f'entry_points = ["{name}"]')
        (folder / "clustergen.toml").write_text(text, encoding="utf-8")
        out = " ".join(lines(capsys))
        assert {code for code in ("ACME001", "ACME002") if code in out} == codes
        assert ("PRJ005" in out) is (name == "bad")
    sys.modules.pop("acme_rules", None)


# -- security -------------------------------------------------------------------------------------


def test_rules_load_only_where_a_command_asks_for_them(folder: Path) -> None:
    """An editor or a library that reads the project file runs none of its code."""
    found, findings = load(folder / project.FILE, project.FILE)
    assert found
    assert (found.rules, findings) == (None, [])
    assert not any(name.startswith("_clustergen_rules_") for name in sys.modules)


@pytest.mark.skipif(os.name != "posix", reason="files have no owner")
def test_rules_of_another_user_above_do_not_load(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = (folder / "clustergen.toml").stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    monkeypatch.setattr(loading, "_ROOT_USER", owner + 2)
    assert "PRJ008" not in " ".join(lines(capsys))
    monkeypatch.chdir(folder / "specs")
    out = " ".join(lines(capsys))
    assert "PRJ008" in out
    assert "ACME" not in out


def test_a_spec_names_no_rules(folder: Path, capsys: Capture) -> None:
    spec = folder / "specs" / "base.yaml"
    spec.write_text(SPEC + 'rules: {files: ["rules"]}\n', encoding="utf-8")
    assert "unknown" in " ".join(lines(capsys)) or "SPC" in " ".join(lines(capsys))


# -- the API --------------------------------------------------------------------------------------


@clustergen.rule("ACME004", "Few nodes", why="The budget is small.", source="a test")
def few_nodes(plan: Plan) -> Iterator[clustergen.Problem]:
    for group in plan.node_groups:
        if group.max > 1:
            yield clustergen.Problem(group.at("count"), f"{group.max} nodes", help="write 1")


def test_a_rule_as_an_argument() -> None:
    def codes(**arguments: Any) -> set[str]:
        return {f.code for f in clustergen.check_text(SPEC, **arguments).findings}

    assert "ACME004" not in codes()
    assert "ACME004" in codes(rules=[few_nodes])
    assert "ACME004" in codes(rules=[few_nodes], targets=["pcs", "eks"])
    checked = clustergen.check_text(SPEC, targets=["pcs"], rules=[few_nodes])
    with pytest.raises(clustergen.Unrenderable):
        clustergen.render(checked, "pcs")

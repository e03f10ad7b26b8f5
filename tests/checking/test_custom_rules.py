"""Custom rules: a whole project with its own rules, and everything that can be wrong with them."""

import argparse
import importlib.util
import json
import os
import py_compile
import shutil
import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest

import clustergen
from clustergen import cli
from clustergen.checking import project
from clustergen.checking.custom_rules import loading, modules
from clustergen.checking.project.loading import load
from clustergen.commands.arguments import parser
from clustergen.plan.model import Plan

SPEC = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
storage: [{mount: /home, type: efs}]
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
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CI", raising=False)
    yield tmp_path
    modules.begin({})


Capture = pytest.CaptureFixture[str]


def run(capture: Capture, *arguments: str) -> tuple[int, str, str]:
    """Run a command with the consent of the user, unless its arguments say otherwise."""
    consent = () if "--no-custom-rules" in arguments else ("--custom-rules",)
    status = cli.main([*arguments, *consent])
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


def test_without_them(folder: Path, capsys: Capture) -> None:
    (folder / "rules" / "contract.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    for command in (["check"], ["render"], ["explain"]):
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


def declared(old: str = "", new: str = "") -> str:
    """A rule whose declaration has other text, and whose check does nothing."""
    return f"{GOOD.replace(old, new)}def f(plan): ..."


def checked(body: str) -> str:
    return f"{GOOD}def f(plan):\n    {body}"


UNCHECKED = 'from clustergen import Rule\nX = Rule("ACME003", "T", "W.", "s")'
FAILING = {
    "exception": ("return [1 / 0]", 5, "division by zero"),
    "after a finding": ("yield Problem((), 'one')\n    raise SystemExit(3)", 6, "SystemExit: 3"),
    "in the library": ("return plan.tgs", 5, "AttributeError"),
    "recursion": ("return f.check(plan)", 5, "RecursionError"),
    "text": ("yield 'one'", 3, "yields of type str"),
    "path": ("yield Problem('tags', 'one')", 3, "the path of"),
    "message": ("yield Problem((), 7)", 3, "the message of"),
    "fix": ("yield Problem((), 'm', fix=('tags', 1))", 3, "the fix of a problem is of type tuple"),
    "bad severity": ("yield Problem((), 'm', severity='bad')", 3, "'bad' is not a valid Severity"),
}
FAULTS = {
    "import error": ("import no_such_module", 1, "PRJ005", "ModuleNotFoundError: No module named"),
    "syntax": ("x = 1\ndef f(:\n", 2, "PRJ005", "SyntaxError"),
    "exit": ("import sys\nsys.exit()", 2, "PRJ005", "SystemExit"),
    "bytes": ("# \x00", 1, "PRJ005", "null bytes"),
    "no parentheses": ("@rule\ndef f(plan): ...", 3, "PRJ005", "TypeError"),
    "no reason": ('@rule("ACME003", "Title")\ndef f(plan): ...', 3, "PRJ005", "'why'"),
    "no rule": ("x = 1", 2, "PRJ005", "extra.py declares no rule"),
    "code": (declared("ACME003", "acme-3"), 3, "PRJ006", "'acme-3'"),
    "no code": (declared('"ACME003"', "3"), 3, "PRJ006", "3 is not"),
    "our code": (declared("ACME", "NET"), 3, "PRJ006", "with NET"),
    "our area": (declared("ACME", "NETWORK"), 3, "PRJ006", "with NET"),
    "twice": (declared("003", "001"), 3, "PRJ006", "two rules have"),
    "title": (declared("Title", " "), 3, "PRJ006", "no text as its title"),
    "why": (declared('"Reason."', "7"), 3, "PRJ006", "as its why"),
    "severity": (declared(")\n", ', severity="bad")\n'), 3, "PRJ006", "no valid severity"),
    "target": (declared(")\n", ', target="psc")\n'), 3, "PRJ006", "a target 'psc'"),
    "fatal": (declared(")\n", ", fatal=True)\n"), 3, "PRJ006", "only our rules"),
    "no check": (UNCHECKED, 1, "PRJ006", "has no check"),
    "nothing": (declared(), 3, "PRJ007", "NoneType"),
    **{name: (checked(body), line, "PRJ007", said) for name, (body, line, said) in FAILING.items()},
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
    written = (folder / file).read_text(encoding="utf-8").splitlines()[line - 1]
    assert found.startswith(f"{file}:{line}:{1 + len(written) - len(written.lstrip())}:"), out
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


def test_consent_for_an_installed_package_is_for_its_code(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code, and what its entry point names; nothing of it is imported before."""
    site, ran = folder / "site", folder / "ran"
    (site / "acme_pack").mkdir(parents=True)
    (site / "acme_pack-1.dist-info").mkdir()
    (site / "acme_pack-1.dist-info" / "METADATA").write_text("Name: acme-pack\nVersion: 1\n")
    entries = site / "acme_pack-1.dist-info" / "entry_points.txt"
    entries.write_text("[clustergen.rules]\nacme = acme_pack.rules\n")
    (site / "acme_pack" / "__init__.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    (site / "acme_pack" / "_names.py").write_text('TEAM = "team"\n')
    for name in ("rules", "other"):
        (site / "acme_pack" / f"{name}.py").write_text(RULES, encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    text = PROJECT.replace('files = ["rules"]', 'entry_points = ["acme"]')
    (folder / "clustergen.toml").write_text(text, encoding="utf-8")
    assert codes(capsys) == WAITING
    assert not ran.exists()
    assert codes(capsys, "--custom-rules") == codes(capsys) == (1, OURS)
    (site / "acme_pack" / "_names.py").write_text('TEAM = "group"\n')
    assert codes(capsys) == WAITING
    assert codes(capsys, "--custom-rules") == codes(capsys) == (1, OURS)
    entries.write_text("[clustergen.rules]\nacme = acme_pack.other\n")
    assert codes(capsys) == WAITING
    for name in [name for name in sys.modules if name.startswith("acme_pack")]:
        del sys.modules[name]


# -- security -------------------------------------------------------------------------------------


def codes(capture: Capture, *arguments: str) -> tuple[int, set[str]]:
    """The exit status and the codes of a check, with no consent but that in its arguments."""
    status = cli.main(["check", *arguments, "--output", "json"])
    found = json.loads(capture.readouterr().out)["findings"]
    return status, {each["code"] for each in found} - {"NET013", "NET024"}


OURS = {"ACME001", "ACME002"}
WAITING = (2, {"PRJ009"})


def test_rules_run_once_the_user_allows_them_and_until_they_change(
    folder: Path, capsys: Capture
) -> None:
    assert codes(capsys) == WAITING
    assert not any(name.startswith("_clustergen_rules_") for name in sys.modules)
    assert codes(capsys, "--no-custom-rules") == (0, set())
    assert codes(capsys) == WAITING
    assert codes(capsys, "--custom-rules") == (1, OURS)
    assert codes(capsys) == (1, OURS)
    assert cli.main(["render", "-o", "out", "--set", "tags.team=vision"]) == 0
    capsys.readouterr()
    # Another file in the folder, another helper, and another name in the project file.
    (folder / "rules" / "more.py").write_text(HEAD + "X = 1\n", encoding="utf-8")
    assert codes(capsys) == WAITING
    (folder / "rules" / "more.py").unlink()
    assert codes(capsys) == (1, OURS)
    (folder / "rules" / "_names.py").write_text('TEAM = "group"\n', encoding="utf-8")
    assert codes(capsys) == WAITING
    assert codes(capsys, "--custom-rules") == (1, OURS)
    (folder / "clustergen.toml").write_text(PROJECT.replace('["rules"]', '["rules/contract.py"]'))
    assert codes(capsys) == WAITING
    (folder / "clustergen.toml").write_text(PROJECT, encoding="utf-8")
    for record in (folder / "state").rglob("*.json"):
        record.write_text("[]", encoding="utf-8")
    assert codes(capsys) == WAITING


def _compiled(folder: Path) -> None:
    """Another content for `_names.py`, compiled so that Python would not compare it."""
    other = folder / "other.py"
    other.write_text("raise SystemExit", encoding="utf-8")
    cached = importlib.util.cache_from_source(str(folder / "rules" / "_names.py"))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(other), cached, invalidation_mode=mode)


def _package(folder: Path) -> None:
    (folder / "rules" / "_names").mkdir()
    (folder / "rules" / "_names" / "__init__.py").write_text('TEAM = "group"\n')


def _extension(folder: Path) -> None:
    (folder / "rules" / f"_names{EXTENSION_SUFFIXES[0]}").write_bytes(b"\x7fELF")


SHADOWS = {"compiled": (_compiled, (1, OURS)), "package": (_package, WAITING)}
SHADOWS["extension"] = (_extension, WAITING)


@pytest.mark.parametrize("shadow", SHADOWS)
def test_nothing_runs_in_place_of_allowed_source(
    shadow: str, folder: Path, capsys: Capture
) -> None:
    assert codes(capsys, "--custom-rules") == (1, OURS)
    make, expected = SHADOWS[shadow]
    make(folder)
    assert codes(capsys) == expected
    assert codes(capsys, "--custom-rules") == (1, OURS)  # an extension is no source


def test_what_a_check_imports_later_is_part_of_the_consent(folder: Path, capsys: Capture) -> None:
    late = GOOD + "def f(plan):\n    from ._late import problem\n    yield problem()\n"
    (folder / "rules" / "late.py").write_text(HEAD + late, encoding="utf-8")
    helper = "from clustergen import Problem\ndef problem(): return Problem((), 'late')\n"
    (folder / "rules" / "_late.py").write_text(helper, encoding="utf-8")
    found = (1, OURS | {"ACME003"})
    assert codes(capsys, "--custom-rules") == codes(capsys) == found
    (folder / "rules" / "_late.py").write_text(helper + "# another\n", encoding="utf-8")
    assert codes(capsys) == WAITING
    # One that appears while rules run is not imported.
    (folder / "rules" / "_late.py").unlink()
    made = f"def f(plan):\n    open(__file__[:-7] + '_late.py', 'w').write({helper!r})\n"
    made += "    from ._late import problem\n    yield problem()\n"
    (folder / "rules" / "late.py").write_text(HEAD + GOOD + made, encoding="utf-8")
    assert codes(capsys, "--custom-rules") == (2, OURS | {"PRJ007"})


def test_consent_is_for_one_repository(folder: Path, capsys: Capture) -> None:
    assert codes(capsys, "--custom-rules") == (1, OURS)
    copy = folder / "copy"
    shutil.copytree(folder / "rules", copy / "rules")
    shutil.copytree(folder / "specs", copy / "specs")
    shutil.copy(folder / "clustergen.toml", copy)
    os.chdir(copy)
    assert codes(capsys) == WAITING


def test_ci_needs_the_option_each_time(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert codes(capsys, "--custom-rules") == (1, OURS)
    monkeypatch.setenv("CI", "true")
    assert codes(capsys) == WAITING
    assert codes(capsys, "--custom-rules") == (1, OURS)
    assert codes(capsys, "--no-custom-rules") == (0, set())
    shutil.rmtree(folder / "state")
    assert codes(capsys, "--custom-rules") == (1, OURS)
    assert not (folder / "state").exists()


def test_only_commands_that_report_rules_may_run_them(folder: Path) -> None:
    """Each other command leaves the rules alone: they would write a file."""
    ran = folder / "ran"
    (folder / "rules" / "contract.py").write_text(f"open({str(ran)!r}, 'w').close()\n{RULES}")
    action = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    may = {
        name
        for name, command in dict(action.choices or {}).items()
        if any(each.dest == "custom_rules" for each in command._actions)
    }
    assert may == {"check", "render", "preflight", "report", "explain", "lsp"}
    for arguments in (["plan"], ["cost"], ["compare"], ["graph", "--target", "pcs"], ["recommend"]):
        cli.main(arguments if arguments != ["recommend"] else ["recommend", "dev"])
        assert not ran.exists(), arguments


def test_explain_says_which_rules_are_missing(folder: Path, capsys: Capture) -> None:
    assert cli.main(["explain"]) == 0
    assert "PRJ009" in capsys.readouterr().err


def test_rules_load_only_where_a_command_asks_for_them(folder: Path) -> None:
    """An editor or a library that reads the project file runs none of its code."""
    found, findings = load(folder / project.FILE, project.FILE)
    assert found
    assert (found.rules, findings) == (None, [])
    assert not any(name.startswith("_clustergen_rules_") for name in sys.modules)


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

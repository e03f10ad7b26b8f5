"""The files that other tools read: workflow, action, hooks, recipes, and their scripts."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.base.text_lists import word_set
from clustergen.commands.arguments import parser
from tests.support.documents import blocks
from tests.support.paths import ROOT

BIN = Path(sys.executable).parent
WORKFLOWS = ROOT / ".github" / "workflows"
RECIPES = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
WRITTEN = {block.file: block.text for block in blocks(RECIPES) if block.file}


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


# -- what their readers accept --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "ours", "written"),
    [
        ("github-workflows", [*WORKFLOWS.glob("*.yml")], ".github/workflows/clusters.yml"),
        ("github-actions", [ROOT / "action.yml"], ""),
        ("gitlab-ci", [], ".gitlab-ci.yml"),
    ],
)
def test_the_service_accepts(schema: str, ours: list[Path], written: str, tmp_path: Path) -> None:
    (tmp_path / "file.yml").write_text(WRITTEN.get(written, ""), encoding="utf-8")
    files = [*ours, *([tmp_path / "file.yml"] if written else [])]
    done = run(BIN / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)
    assert done.returncode == 0, done.stdout


def test_the_buildspec_has_the_keys_of_codebuild() -> None:
    """https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html"""
    buildspec = yaml.safe_load(WRITTEN["buildspec.yml"])
    assert buildspec.keys() <= word_set("version run-as env phases reports artifacts cache")
    assert buildspec["version"] == 0.2
    assert buildspec["phases"].keys() <= {"install", "pre_build", "build", "post_build"}
    for phase in buildspec["phases"].values():
        assert phase.keys() <= {"run-as", "on-failure", "runtime-versions", "commands", "finally"}
        assert all(isinstance(command, str) for command in phase["commands"])


def test_zizmor_finds_nothing(tmp_path: Path) -> None:
    workflow = tmp_path / ".github" / "workflows" / "clusters.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(WRITTEN[".github/workflows/clusters.yml"], encoding="utf-8")
    ours = (ROOT / "action.yml", ROOT / ".github" / "workflows")
    done = run(BIN / "zizmor", "--offline", "--no-config", "--quiet", *ours, workflow)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "selection"),
    [
        (".github/requirements/action.txt", ["--no-default-groups", "--group", "build"]),
        # pip accepts no hashes beside a checkout.
        ("constraints.txt", ["--all-extras", "--no-hashes"]),
    ],
)
def test_what_is_installed_is_what_the_lock_pins(file: str, selection: list[str]) -> None:
    """Rebuild: `uv export` with these arguments and `-o FILE`."""
    options = ["--frozen", "--offline", "--quiet", *selection]
    form = ["--no-emit-project", "--no-annotate", "--no-header"]
    done = run(BIN / "uv", "export", *options, *form, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, (ROOT / file).read_text("utf-8")), done.stderr


def test_the_hooks_run_a_command_that_exists() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    used = yaml.safe_load(next(b.text for b in blocks(RECIPES) if b.text.startswith("repos:")))
    named = {hook["id"] for repo in used["repos"] for hook in repo["hooks"]}
    assert named < {hook["id"] for hook in hooks}
    for hook in hooks:
        program, command, *arguments = hook["entry"].split()
        files = ["specs/a.yaml"] if hook.get("pass_filenames", True) else []
        assert program == "clustergen"
        assert parser().parse_args([command, *arguments, *files]).command == command


def test_ci_runs_what_the_workflow_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert {"run": ".ci/run"} in workflow["jobs"]["all"]["steps"]


# -- the scripts ----------------------------------------------------------------------------------


def steps() -> Mapping[str, str]:
    """The scripts of the action, by the names of their steps."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return {step["name"]: step["run"] for step in action["runs"]["steps"] if "run" in step}


def scripts() -> Iterator[tuple[str, set[str]]]:
    """The scripts of action and workflows, each with the variables that it is given."""
    for path in (ROOT / "action.yml", *sorted(WORKFLOWS.glob("*.yml"))):
        file = yaml.safe_load(path.read_text(encoding="utf-8"))
        for job in file["jobs"].values() if "jobs" in file else [file["runs"]]:
            for step in job["steps"]:
                if "run" in step:
                    yield (
                        step["run"],
                        {*file.get("env", ()), *job.get("env", ()), *step.get("env", ())},
                    )


def test_scripts_are_clean(tmp_path: Path) -> None:
    files = [ROOT / ".ci" / "run"]
    for number, (script, _) in enumerate(scripts()):
        files.append(tmp_path / f"{number}.sh")
        # GitHub runs the steps of an action with these options.
        files[-1].write_text(f"set -eo pipefail\n{script}", encoding="utf-8")
    done = run(BIN / "shellcheck", "--shell", "bash", *files)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("script", "given"), [*scripts()])
def test_a_script_has_its_variables(script: str, given: set[str]) -> None:
    """shellcheck takes names in capitals for variables of the environment."""
    assert "${{" not in script
    read = set(re.findall(r"\$\{?([A-Z]\w*)", script)) - set(re.findall(r"\b([A-Z]\w*)=", script))
    assert {name for name in read if not name.startswith(("GITHUB_", "RUNNER_"))} <= given


HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"
PCS = "targets: {pcs: {}}\n"
SHARED = "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]\n"
# HyperPod has no word for it.
SLOW = GROUP.replace("count: 2", "count: 2, root_volume: {throughput: 500}")


class Runner:
    """A runner of GitHub with clustergen installed: its folders and variables."""

    def __init__(self, folder: Path) -> None:
        self.temp, self.work = folder / "temp", folder / "work"
        self.output, self.summary = folder / "output", folder / "summary"
        self.work.mkdir(parents=True)
        program = f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m clustergen "$@"'
        self.install(self.temp / "clustergen" / "bin" / "clustergen", program)

    def install(self, path: Path, script: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def play(self, step: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a step as GitHub does."""
        environment = {
            "PATH": f"{self.temp}/fakes:/usr/bin:/bin",
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_REPOSITORY": "acme/clusters",
            **variables,
        }
        shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
        return run(*shell, steps()[step], cwd=self.work, env=environment)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


INPUTS = {"SPECS": "", "TARGET": "", "STRICT": "false", "SARIF": "", "CUSTOM_RULES": ""}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("spec", "strict", "status"),
    [
        ("good", "true", 0),
        ("warned", "false", 0),
        ("warned", "true", 1),
        ("bad", "false", 1),
        ("absent", "false", 2),
    ],
)
def test_the_action_checks(runner: Runner, spec: str, strict: str, status: int) -> None:
    (runner.work / "good.yaml").write_text(HEAD + GROUP)
    (runner.work / "warned.yaml").write_text(
        HEAD + SLOW + SHARED + "targets: {hyperpod-slurm: {}}\n"
    )
    (runner.work / "bad.yaml").write_text(HEAD)
    inputs = {**INPUTS, "SPECS": f"{spec}.yaml", "STRICT": strict, "SARIF": "found.sarif"}
    done = runner.play("Check", **inputs)
    assert done.returncode == status, done.stderr
    assert (runner.work / "found.sarif").exists()
    summary = runner.summary.read_text(encoding="utf-8")
    assert summary.startswith("## clustergen\n")
    assert ("No findings." in summary) is (spec == "good")
    assert done.stdout.count("::") == 2 * (spec != "good")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("event", "wanted", "runs"),
    [
        ("pull_request", "true", True),
        ("pull_request", "false", False),
        ("pull_request_target", "true", False),
        ("workflow_run", "true", False),
        ("issue_comment", "true", False),
        ("pull_request", "", False),
    ],
)
def test_custom_rules_run_where_it_is_safe(
    runner: Runner, event: str, wanted: str, runs: bool
) -> None:
    (runner.work / "a.yaml").write_text(HEAD + GROUP)
    (runner.work / "rules.py").write_text("open('ran', 'w')\n")
    project = '[rules]\nfiles = ["rules.py"]\n[clusters.a]\nfiles = ["a.yaml"]\n'
    (runner.work / "clustergen.toml").write_text(project)
    variables = {**INPUTS, "CUSTOM_RULES": wanted, "GITHUB_EVENT_NAME": event, "CI": "true"}
    done = runner.play("Check", **variables)
    assert (runner.work / "ran").exists() is runs
    # A job never passes without a word because rules did not run.
    assert ("::warning title=clustergen::Custom rules do not run" in done.stdout) is (
        wanted == "true" and not runs
    )
    assert ("PRJ009" in done.stdout) is (wanted == "")


def test_the_cache_is_of_what_is_installed(runner: Runner, tmp_path: Path) -> None:
    def key(**variables: str) -> str:
        runner.output.unlink(missing_ok=True)
        done = runner.play("Name the cache", **{"PYTHON": "3.13.1", **variables})
        assert done.returncode == 0, done.stderr
        return runner.output.read_text(encoding="utf-8")

    first = key()
    assert first.startswith("key=clustergen-Linux-X64-3.13.1-")
    assert first == key()
    copy = tmp_path / "copy"
    for name in ("clustergen", "specs", "stacks", "templates", ".github"):
        (copy / name / "requirements").mkdir(parents=True)
    (copy / "pyproject.toml").write_text("")
    before = key(GITHUB_ACTION_PATH=str(copy))
    (copy / "clustergen" / "a.py").write_text("x = 1\n")
    assert before != key(GITHUB_ACTION_PATH=str(copy)) != first


def test_the_action_installs_only_hashed_packages(runner: Runner) -> None:
    log = runner.temp / "log"
    recorder = f'echo "$@" >> {log}'
    runner.install(runner.temp / "python", recorder)
    runner.install(runner.temp / "clustergen" / "bin" / "python", recorder)
    python = str(runner.temp / "python")
    done = runner.play("Install", PYTHON=python)
    assert done.returncode == 0, done.stderr
    venv, packages, own = log.read_text(encoding="utf-8").splitlines()
    assert venv == f"-m venv --clear {runner.temp}/clustergen"
    assert "--require-hashes" in packages
    assert packages.endswith("/.github/requirements/action.txt")
    assert "--no-deps --no-build-isolation" in own


# -- the difference of bundles --------------------------------------------------------------------

# `gh api`, with the comments of the pull request in a folder.
GH = """\
comments=$RUNNER_TEMP/comments; mkdir -p "$comments"
for word in "$@"; do case $word in body=@*) body=${word#body=@} ;; esac; done
case "$*" in
  *--paginate*) ls "$comments" ;;
  *"-X PATCH"*) cp "$body" "$comments/$(basename "$5")" ;;
  *) cp "$body" "$comments/$((100 + $(ls "$comments" | wc -l)))" ;;
esac
"""


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    done = run("git", *who, *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit(folder: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "change")
    return git(folder, "rev-parse", "HEAD")


def compare(runner: Runner, base: str) -> str:
    """The comment about the changes since ``base``."""
    inputs = {"SPECS": "a.yaml", "TARGET": "", "BASE": base, "GH_TOKEN": "token"}
    runner.output.unlink(missing_ok=True)
    done = runner.play("Compare the bundles", **inputs)
    assert done.returncode == 0, done.stderr
    comment = runner.output.read_text(encoding="utf-8").removeprefix("comment=").strip()
    text = Path(comment).read_text(encoding="utf-8")
    assert text in runner.summary.read_text(encoding="utf-8")
    done = runner.play("Comment", COMMENT=comment, NUMBER="7", GH_TOKEN="token")
    assert done.returncode == 0, done.stderr
    return text


def test_the_action_comments_what_changes(runner: Runner) -> None:
    runner.install(runner.temp / "fakes" / "gh", GH)
    git(runner.work, "init", "-q")
    base = commit(runner.work, {"a.yaml": HEAD + GROUP + PCS})
    commit(runner.work, {"a.yaml": HEAD + GROUP.replace("count: 2", "count: 3") + PCS})
    text = compare(runner, base)
    assert text.startswith("<!-- clustergen -->\nclustergen: this pull request changes ")
    assert "+++ after/example/pcs/cluster.template.json" in text
    assert "+#SBATCH --nodes=3" in text
    # What `clustergen diff` knows of them.
    assert "<summary>Effects on example</summary>" in text
    assert "### `pcs`: " in text
    # The next run updates the comment.
    head = commit(runner.work, {"a.yaml": HEAD + GROUP + PCS + "# a comment\n"})
    assert "changes no bundle" in compare(runner, base)
    [comment] = (runner.temp / "comments").iterdir()
    assert "changes no bundle" in comment.read_text(encoding="utf-8")
    assert git(runner.work, "worktree", "list").count("\n") == 0
    assert git(runner.work, "status", "--porcelain") == ""
    assert git(runner.work, "rev-parse", "HEAD") == head


def test_a_shallow_checkout_fetches_the_base(runner: Runner, tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    base = commit(origin, {"a.yaml": HEAD + GROUP + PCS})
    # A spec without errors becomes one with errors, and the block in the comment stays closed.
    commit(origin, {"a.yaml": HEAD + PCS, "b.yaml": HEAD + "# ```\n"})
    runner.work.rmdir()
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), str(runner.work))
    runner.install(runner.temp / "fakes" / "gh", GH)
    text = compare(runner, base)
    assert "--- before/example/pcs/cluster.template.json" in text
    assert text.count("\n```") == 2


def test_an_overlay_stands_for_its_clusters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """pre-commit names each changed file."""
    from clustergen import cli

    (tmp_path / "base.yaml").write_text(HEAD + GROUP)
    (tmp_path / "prod.yaml").write_text("tags: {stage: prod}\n")
    files = 'files = ["base.yaml", "prod.yaml"]\n'
    project = f'[clusters.a]\n{files}[clusters.b]\n{files}set = ["name=other"]\n'
    (tmp_path / "clustergen.toml").write_text(project)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check", "prod.yaml", "base.yaml", "prod.yaml", "--target", "pcs"]) == 0
    assert "checked 3 specs" in capsys.readouterr().err


# -- what pages and messages say to install -------------------------------------------------------

# No index has our package, so a stranger may register its name.
BY_NAME = re.compile(
    r"""\b(?:pip3?|pipx|uvx|uv(?=\s+(?:add|pip|tool|run)))  # an installer,
    (?:\s+(?:install|add|pip|tool|run|-[^\s'"`]+|:all:))*  # its words and options,
    \s+["'`]?clustergen(?![\w.-]|\s*@|/)  # and the bare name
    | `clustergen\[(?!\d)""",
    re.VERBOSE,
)
TOLD = ("README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "action.yml", ".ci", "docs")
CODE = ("clustergen", "templates", "editors", "specs", "stacks", ".pre-commit-hooks.yaml")


def told() -> Iterator[tuple[str, str]]:
    """What users read: pages, recipes, templates and messages."""
    for name in (*TOLD, *CODE):
        for file in [ROOT / name, *(ROOT / name).rglob("*")]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8", errors="ignore")


def test_nothing_tells_users_to_install_a_name_that_we_do_not_own() -> None:
    assert [name for name, text in told() if BY_NAME.search(text)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pip install clustergen==0.1.0", True),
        ("pip install --upgrade clustergen", True),
        ("`pip\n  install 'clustergen[live]'`", True),
        ("uvx clustergen check", True),
        ("install `clustergen[cdk]`", True),
        ("pip install '.[live]'", False),
        ("pip install 'clustergen @ git+https://example.com/clustergen@0123'", False),
        ("`pip install .`; clustergen needs Python", False),
    ],
)
def test_such_a_command_is_found(text: str, found: bool) -> None:
    assert bool(BY_NAME.search(text)) is found

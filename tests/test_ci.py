"""The files that other tools read: workflow, action, hook, and the scripts inside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from clustergen.commands.arguments import parser

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-workflows", ".github/workflows/ci.yml"),
        ("vendor.github-actions", "action.yml"),
    ],
)
def test_github_accepts_the_annotations(schema: str, file: str) -> None:
    done = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", schema, ROOT / file],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def scripts() -> list[str]:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    return [(ROOT / ".ci" / "run").read_text(encoding="utf-8"), *steps]


@pytest.mark.parametrize("script", scripts())
def test_scripts_are_clean(script: str) -> None:
    done = subprocess.run(
        [BIN / "shellcheck", "--shell", "bash", "-"],
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_inputs_of_the_action_are_never_in_a_script() -> None:
    assert [script for script in scripts() if "${{" in script] == []


def check_step() -> str:
    return scripts()[-1]


@pytest.mark.parametrize(
    ("spec", "strict", "status"),
    [
        ("good", "false", 0),
        ("good", "true", 0),
        ("warned", "false", 0),
        ("warned", "true", 1),
        ("bad", "false", 1),
        ("absent", "false", 2),
    ],
)
def test_the_action_checks(tmp_path: Path, spec: str, strict: str, status: int) -> None:
    head = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
    group = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"
    # HyperPod has no word for it.
    slow = group.replace("count: 2", "count: 2, root_volume: {throughput: 500}")
    (tmp_path / "good.yaml").write_text(head + group)
    (tmp_path / "warned.yaml").write_text(head + slow + "targets: {hyperpod-slurm: {}}\n")
    (tmp_path / "bad.yaml").write_text(head)
    home = tmp_path / "clustergen" / "bin"
    home.mkdir(parents=True)
    command = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m clustergen "$@"\n'
    (home / "clustergen").write_text(command)
    (home / "clustergen").chmod(0o755)
    inputs = {"SPECS": f"{spec}.yaml", "TARGET": "", "STRICT": strict, "SARIF": "found.sarif"}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check_step()],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path), **inputs},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, (tmp_path / "found.sarif").exists()) == (status, True), done.stderr


def test_the_hooks_run_a_command_that_exists() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["clustergen-check", "clustergen-project"]
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        files = ["specs/a.yaml"] if hook.get("pass_filenames", True) else []
        assert program == "clustergen"
        assert parser().parse_args([*arguments, *files]).command == "check"


def test_ci_runs_what_the_workflow_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert {"run": ".ci/run"} in workflow["jobs"]["all"]["steps"]

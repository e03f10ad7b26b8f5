"""A machine on which the CDK does not start: messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clustergen import resources

SPEC = str(resources.tree("specs") / "single-gpu-dev.yaml")

# What stands for Node.js, and the message.
BROKEN = [
    ("/nowhere/node", "cannot find the program /nowhere/node"),
    ("/bin/false", "/bin/false does not run the CDK"),
]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clustergen", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("node", "message"), BROKEN)
def test_without_node(node: str, message: str, tmp_path: Path) -> None:
    done = run("render", SPEC, "--target", "eks", "-o", str(tmp_path), JSII_NODE=node)
    assert done.returncode == 1
    assert f"error[BND015]: {message}" in done.stderr
    assert "set JSII_NODE" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_overlay_needs_the_document_to_be_checked(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    text = Path(SPEC).read_text(encoding="utf-8")
    spec.write_text(
        text.partition("\ntargets:")[0] + "\ntargets: {eks: {overlay: {Description: x}}}\n",
        encoding="utf-8",
    )
    done = run("check", str(spec), "--target", "eks", JSII_NODE="/nowhere/node")
    assert done.returncode == 1
    assert "BND015" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_no_warning_about_old_node_js(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JSII_SILENCE")}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "clustergen",
            "render",
            SPEC,
            "--target",
            "eks",
            "-o",
            str(tmp_path),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "!!" not in done.stderr


@pytest.mark.parametrize("target", ["pcs", "parallelcluster", "hyperpod-slurm"])
def test_other_targets_need_no_node(target: str, tmp_path: Path) -> None:
    done = run("render", SPEC, "--target", target, "-o", str(tmp_path), JSII_NODE="/nowhere/node")
    assert "BND015" not in done.stderr


def test_without_the_extra_that_brings_the_cdk(tmp_path: Path) -> None:
    """A plain `pip install clustergen` renders other targets, and names the extra for this one."""
    hook = tmp_path / "path" / "sitecustomize.py"
    hook.parent.mkdir()
    hook.write_text(HIDE_THE_CDK, encoding="utf-8")
    targets = ("--target", "eks", "--target", "pcs", "-o", str(tmp_path / "out"))
    done = run("render", SPEC, *targets, PYTHONPATH=str(hook.parent))
    assert done.returncode == 1
    assert "error[BND016]: the AWS CDK, version 2, is not installed" in done.stderr
    assert "help: pip install 'clustergen[eks]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert [folder.name for folder in (tmp_path / "out").glob("*/*")] == ["pcs"]


HIDE_THE_CDK = """\
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in ("aws_cdk", "constructs", "jsii"):
            return super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""

"""A machine on which the CDK does not start: messages of the app, and commands that do without."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clustergen.base import resources
from tests.support.paths import ROOT
from tests.support.scripts import completed

SPEC = str(resources.tree("specs") / "single-gpu-dev.yaml")
CONTEXT = f'{{"spec": "{SPEC}", "target": "pcs"}}'

# What stands for Node.js, and the message.
BROKEN = [
    ("/nowhere/node", "cannot find the program /nowhere/node"),
    ("/bin/false", "/bin/false does not run the CDK"),
]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return completed(sys.executable, *arguments, env={**os.environ, **environment})


def app(**environment: str) -> subprocess.CompletedProcess[str]:
    return run(str(ROOT / "app.py"), CDK_CONTEXT_JSON=CONTEXT, **environment)


@pytest.mark.parametrize(("node", "message"), BROKEN)
def test_without_node(node: str, message: str) -> None:
    done = app(JSII_NODE=node)
    assert done.returncode == 1
    assert f"error[BND015]: {message}" in done.stderr
    assert "set JSII_NODE" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_warning_about_old_node_js(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("JSII_SILENCE")]:
        monkeypatch.delenv(name)
    done = app(CDK_OUTDIR=str(tmp_path))
    assert done.returncode == 0
    assert "!!" not in done.stderr


def test_without_the_extra_that_brings_the_cdk(tmp_path: Path) -> None:
    """A plain `pip install clustergen` renders all bundles; the app names the extra it needs."""
    (tmp_path / "sitecustomize.py").write_text(HIDE_THE_CDK, encoding="utf-8")
    done = app(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "error[BND016]: the AWS CDK, version 2, is not installed" in done.stderr
    assert "help: in a checkout of clustergen: pip install '.[cdk]'" in done.stderr
    assert "Traceback" not in done.stderr
    render = ("-m", "clustergen", "render", SPEC, "--target", "eks", "-o", str(tmp_path / "out"))
    done = run(*render, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr


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

"""The same spec gives the same bytes, wherever and however it is rendered."""

import hashlib
import os
import sys
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.base import resources
from clustergen.base.text_lists import words
from tests.support.scripts import completed

SPECS = words("""
    p5en-capacity-block hpc8a-two-queues everything-existing
    hyperpod-slurm-customer-managed hyperpod-eks-mig eks-karpenter
""")
TURKISH = {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONOPTIMIZE": "2"}
ELSEWHERE = {"HOME": "/nonexistent", "USER": "somebody", "AWS_REGION": "eu-west-1", "COLUMNS": "40"}
SURROUNDINGS: list[dict[str, str]] = [
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "America/St_Johns"},
    {"PYTHONHASHSEED": "4242", **TURKISH, "TZ": "Pacific/Kiritimati", **ELSEWHERE},
]


def rendered(folder: Path, surroundings: dict[str, str], specs: list[str]) -> dict[str, str]:
    """Hashes of all files that a program of its own renders into `folder`, by relative path."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "clustergen", "render", "-o", "out", *specs]
    environment = {**os.environ, **surroundings}
    done = completed(*command, cwd=folder, env=environment, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    out = folder / "out"
    written = [path for path in sorted(out.rglob("*")) if path.is_file()]
    hashes = (hashlib.sha256(path.read_bytes()).hexdigest() for path in written)
    return dict(zip((str(path.relative_to(out)) for path in written), hashes, strict=True))


@pytest.fixture(scope="module")
def paths() -> list[str]:
    return [str(resources.tree("specs") / f"{name}.yaml") for name in SPECS]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("usual") / "here"


@pytest.fixture(scope="module")
def usual(here: Path, paths: list[str]) -> dict[str, str]:
    return rendered(here, {"PYTHONHASHSEED": "0"}, paths)


def test_all_of_them_are_rendered(usual: dict[str, str]) -> None:
    assert len({path.split("/")[0] for path in usual}) == len(SPECS)
    assert {path.split("/")[1] for path in usual} == set(targets.NAMES)
    assert len(usual) > 20


@pytest.mark.sampled(2)
@pytest.mark.parametrize("surroundings", SURROUNDINGS, ids=lambda s: "-".join(s.values())[:40])
def test_output_does_not_depend_on_the_environment(
    usual: dict[str, str], paths: list[str], tmp_path: Path, surroundings: dict[str, str]
) -> None:
    elsewhere = tmp_path / "another folder" / "with a longer path"
    assert rendered(elsewhere, surroundings, list(reversed(paths))) == usual


def test_bytes_are_utf8_with_unix_line_ends(here: Path, usual: dict[str, str]) -> None:
    for name in usual:
        content = (here / "out" / name).read_bytes()
        content.decode("utf-8")
        assert b"\r" not in content
        assert content.endswith(b"\n"), name
        assert str(here).encode() not in content

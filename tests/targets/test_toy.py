"""The contract of targets, from outside: a toy in `tests/toy` passes what every target has to pass.

It touches no other file: a target is its own package, and rows in the tables that CONTRIBUTING
names, which `tests/toy/plugin.py` adds.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import toy

LONGEST = 80
"""Lines of the toy: what a new target has to write, beside what is special about it."""

SUITES = [
    "tests/features/test_truth.py",
    "tests/targets/test_support.py",
    "tests/targets/test_contract.py",
    "tests/test_specs.py",
    "tests/test_compare.py",
    "tests/test_layers.py",
    "tests/plan/test_build.py",
    "tests/foundation/test_targets.py",
]


def test_the_file_is_small() -> None:
    folder = Path(toy.__file__).parent
    own = [path for path in folder.iterdir() if path.is_file() and path.stem != "plugin"]
    assert sum(len(path.read_text().splitlines()) for path in own) <= LONGEST


@pytest.fixture(scope="module")
def outcome() -> str:
    """What the generic suites print, with the toy among the targets."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.toy.plugin", "-p", "no:cacheprovider"]
    command += ["-q", "-rA", "-k", "toy or compare or targets", *SUITES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("suite", SUITES)
def test_the_toy_passes_every_generic_suite(outcome: str, suite: str) -> None:
    assert re.findall(rf"^(?:FAILED|ERROR) {re.escape(suite)}.*", outcome, re.M) == []
    assert re.search(rf"^PASSED {re.escape(suite)}.*", outcome, re.M), outcome[-2000:]


def test_generated_pages_include_the_toy() -> None:
    code = (
        "from clustergen import targets; targets.register('toy', 'tests.toy')\n"
        "import sys; sys.path.insert(0, 'docs')\n"
        "import build; print(build.support())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "| Toy |" in done.stdout

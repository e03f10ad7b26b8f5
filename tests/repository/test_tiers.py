"""The tiers: what is quick, and that each validator and target is in one."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from tests.support import tiers
from tests.support.paths import ROOT
from tests.support.tiers import IN_REAL, REAL, REPEATED

TESTS = ROOT / "tests"


@dataclass(frozen=True)
class Case:
    """What `cases_but_one`, `scenarios` and `further` read of a case."""

    nodeid: str
    marks: Mapping[str, int]

    def get_closest_marker(self, name: str) -> Any:
        return getattr(pytest.mark, name)(self.marks[name]).mark if name in self.marks else None


@pytest.mark.parametrize("name", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("tests", "cases", "marks", "run"),
    [
        (1, 9, {}, 9),
        (1, 1, {"sampled": 6}, 1),
        (1, 5, {"sampled": 6}, 1),
        (2, 12, {"sampled": 6}, 4),
        (1, 9, {"scenarios": 6}, 9),
        (4, 9, {"scenarios": 6}, 9),
        (6, 4, {"scenarios": 2}, 12),
        (6, 4, {"scenarios": 2, "sampled": 4}, 3),
        (2, 9, {"real": 1}, 9),
        (6, 4, {"real": 1}, 8),
    ],
)
def test_a_part_of_each_file_is_run(
    name: str, tests: int, cases: int, marks: Mapping[str, int], run: int
) -> None:
    given: list[Any] = [
        Case(f"test_{name}.py::test_{test}[{number}]", marks)
        for test in range(tests)
        for number in range(cases)
    ]
    parts = (tiers.scenarios, tiers.cases_but_one, tiers.further)
    left = {each.nodeid for part in parts for each in part(given)}
    assert len(given) - len(left) == run


def test_only_controls_skip() -> None:
    skips = re.compile(r"pytest\.skip\(|skipif|importorskip|mark\.skip")
    tries = {Path(__file__), TESTS / "support" / "test_run_summary.py"}
    found = {path for path in {*TESTS.rglob("*.py")} - tries if skips.search(path.read_text())}
    assert found == {TESTS / "conftest.py", TESTS / "support" / "control.py"}


def test_tests_use_each_validator_and_program() -> None:
    """Modules of tests/validators/ and tests/support/ start what others made."""
    reached: set[Path] = set()
    left = [*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")]
    while left:
        path = left.pop()
        if path not in reached:
            reached.add(path)
            left += _imported(path)
    tools = {path for room in ("validators", "support") for path in (TESTS / room).rglob("*.py")}
    unused = {str(path.relative_to(ROOT)) for path in tools - reached if path.read_text()}
    assert unused == set()


_FROM = re.compile(r"^ *from (tests[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NAMED = re.compile(r"(?:^ *import |[\"'])(tests(?:\.\w+)+)", re.MULTILINE)


def _imported(path: Path) -> Iterator[Path]:
    """Modules of the tests that a module imports, or starts in a process of their own."""
    text = path.read_text(encoding="utf-8")
    names = set(_NAMED.findall(text))
    for module, inner in _FROM.findall(text):
        names |= {module, *(f"{module}.{each}" for each in re.findall(r"\w+", inner))}
    for name in names:
        file = ROOT.joinpath(*name.split("."))
        yield from filter(Path.is_file, (file.with_suffix(".py"), file / "__init__.py"))


def collected(*options: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-n", "0", "--verbosity=-1"]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@IN_REAL
def test_each_target_is_validated_and_deployed() -> None:
    files = "tests/targets/test_specs.py tests/targets/test_deployments.py"
    found = collected("-o", f"testpaths={files}")
    assert "deselected" in found[-1]
    for test in ("test_validators_accept_every_bundle", "test_deployments.py"):
        lines = [line for line in found if test in line]
        for target in targets.NAMES:
            assert any(re.search(rf"[\[-]{target}[\]-]", line) for line in lines), (test, target)


@pytest.mark.parametrize(("tier", "most"), [("quick", 13_000), (REAL, 500), (REPEATED, 6_000)])
def test_a_tier_has_a_budget(tier: str, most: int, pytestconfig: pytest.Config) -> None:
    """One that grows beyond it makes room first. A run of some files counts these."""
    assert pytestconfig.stash[tiers.TIERS][tier] <= most

"""Second tries of a run, and what differs from the lock."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.support import control, run_summary
from tests.support.paths import ROOT
from tests.support.scripts import completed

TESTS = """
import pathlib, pytest
from tests.support import control

@pytest.mark.real("")
@pytest.mark.parametrize("name", {once})
def test_once(name):
    tried = pathlib.Path(name)
    first = not tried.exists()
    tried.touch()
    assert not first

@pytest.mark.real("no daemon here")
def test_skipped():
    assert False

def test_broken():
    control.broken("the daemon ends")

def test_no_second_try():
    assert {passes}
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("once", "passes", "status", "closing"),
    [
        (0, True, 0, "2 passed, 2 skipped"),
        (2, True, 0, "3 passed, 2 skipped, 2 rerun"),
        (3, True, 1, "4 passed, 2 skipped, 3 rerun"),
        (1, False, 1, "1 failed, 1 passed, 2 skipped, 1 rerun"),
    ],
)
def test_real_programs_have_a_second_try(
    tmp_path: Path, once: int, passes: bool, status: int, closing: str
) -> None:
    names = [f"n{number}" for number in range(once)] or ["n"]
    if not once:
        (tmp_path / "n").touch()
    (tmp_path / "test_x.py").write_text(TESTS.format(once=names, passes=passes))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = real(reason)\n  repeated\n")
    # To look through the folders of other runs takes seconds.
    options = ["-q", "-p", "tests.conftest", "-n", "2", "--basetemp", "made", "test_x.py"]
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    done = completed(sys.executable, "-m", "pytest", *options, cwd=tmp_path, env=env)
    assert closing in done.stdout.splitlines()[-1], done.stdout + done.stderr
    assert done.returncode == status
    assert ("= flaky: " in done.stdout) is bool(once)
    assert "skipped because of other programs: 2 " in done.stdout
    for why in ("the daemon ends", "no daemon here"):
        assert f"\n1 tests: {why}\n" in done.stdout
    assert all(f"\ntest_x.py::test_once[{name}]\n" in done.stdout for name in names[:once])


def failure(asked: str, why: str) -> str:
    """A control, which fails if it is asked again."""
    Path(asked).mkdir()
    return why


def test_a_control_that_passed_is_not_asked_again(tmp_path: Path) -> None:
    for _ in range(2):
        control.need(failure, str(tmp_path / "slurm"), "")


def test_a_control_that_failed_skips_each_test(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(pytest.skip.Exception, match=r"^control: the daemon ends$"):
            control.need(failure, str(tmp_path / "slurm"), "the daemon ends")


def test_what_differs_from_the_lock() -> None:
    locked = f"pytest=={metadata.version('pytest')}\n"
    other = "pyyaml==0.1 ; python_full_version >= '3.11'\njinja2==0.1 ; python_full_version < '3'\n"
    missing = "no-such-package==1\n"
    found = list(run_summary.unlocked(locked + other + missing))
    assert found == [f"pyyaml {metadata.version('pyyaml')}, locked==0.1"]

"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support import run_summary
from tests.support.examples import EVERYTHING, left_out
from tests.validators import shared
from tests.validators.parallelcluster import ParallelCluster

# What tests start loads the same modules hundreds of times, and should compile them once.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
_BEGAN = shared.begin()
gc.disable()  # until all tests are collected: what is loaded until then stays

# No test is timed: machines are busy. In CI property tests run in full, elsewhere with a tenth of
# their examples (`tests.support.examples`); `CI=true` in front of the command runs all of them.
settings.register_profile("ci", deadline=None, max_examples=100)
settings.register_profile("dev", deadline=None, max_examples=10)
settings.load_profile("ci" if EVERYTHING else "dev")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave repetitions to CI, but where a folder or a file is named.

    Real daemons and machines depend on what else this machine does: their tests have a second try,
    and `tests.support.run_summary` names those that needed it.
    """
    for item in items:
        for mark in item.iter_markers("real"):
            item.add_marker(pytest.mark.skipif(bool(mark.args[0]), reason=mark.args[0]))
            item.add_marker(pytest.mark.flaky(reruns=1))
    if EVERYTHING or config.args != config.getini("testpaths"):
        return
    left = set(left_out(items))
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of garbage collections.

    Modules and schemas of that size stay until the end; to look through them again and again takes
    a sixth of the time.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run with many second tries."""
    if not session.exitstatus and len(run_summary.flaky(session.config)) >= run_summary.TOO_MANY:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    """Name tests that needed a second try and, if the run failed, packages that are not locked."""
    run_summary.write(terminalreporter, failed=bool(exitstatus))


def pytest_unconfigure() -> None:
    """Leave nothing of the run behind, and what the tests loaded out of pytest's collections."""
    gc.freeze()
    if _BEGAN:
        shared.end()


@pytest.fixture(scope="session")
def parallelcluster() -> Iterator[ParallelCluster]:
    """ParallelCluster's validators, started once for all tests that ask."""
    with ParallelCluster() as validators:
        yield validators

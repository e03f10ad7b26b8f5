"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support import control, run_summary, tiers
from tests.validators import shared
from tests.validators.parallelcluster import ParallelCluster

if TYPE_CHECKING:
    from tests.services.kubernetes.clusters import Cluster

# What tests start loads the same modules hundreds of times, and should compile them once.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
_BEGAN = shared.begin()
gc.disable()  # until all tests are collected: what is loaded until then stays

# No test is timed: machines are busy. A change meets the same examples each time;
# `--hypothesis-profile=search` looks for new ones.
settings.register_profile("same", deadline=None, max_examples=10, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--strict-controls", action="store_true", help="fail if a control fails")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort tests into the tiers of `tests.support.tiers`, and run the quick one by default.

    Real daemons and machines depend on what else this machine does: their tests have a second try,
    and `tests.support.run_summary` names those that needed it.
    """
    for item in items:
        for mark in item.iter_markers(tiers.REAL):
            for reason in mark.args:
                why = f"{control.BEGINS}{reason}"
                item.add_marker(pytest.mark.skipif(bool(reason), reason=why))
                item.add_marker(pytest.mark.flaky(reruns=1))
    for item in tiers.scenarios(items):
        item.add_marker(tiers.IN_REAL)
    for part in (tiers.cases_but_one, tiers.further):
        for item in part(items):
            item.add_marker(tiers.REPEATED)
    config.stash[tiers.TIERS] = Counter(map(tiers.tier_of, items))
    if not config.option.markexpr and config.args == config.getini("testpaths"):
        config.option.markexpr = tiers.QUICK


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
    """Fail a run with many second tries, and a strict one with failed controls."""
    if not session.exitstatus and run_summary.is_bad(session.config):
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


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """An empty Kubernetes cluster, for one test."""
    from tests.services.kubernetes.clusters import running

    with running(tmp_path) as made:
        yield made

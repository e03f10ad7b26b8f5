"""What a run says at its end: second tries, failed controls, packages that are not locked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from tests.support import control
from tests.support.paths import ROOT

TOO_MANY = 3
"""Tests that needed a second try make a run fail from this number on."""


def flaky(config: pytest.Config) -> list[str]:
    """The tests that failed once."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return sorted({report.nodeid for report in reporter.stats.get("rerun", ())} if reporter else ())


def write(reporter: pytest.TerminalReporter, *, failed: bool) -> None:
    """Add the sections to the end of a run."""
    if again := flaky(reporter.config):
        reporter.section(f"flaky: {len(again)}, and {TOO_MANY} fail the run")
        for name in again:
            reporter.line(name)
    controls = Counter(
        reason.partition(control.BEGINS)[2]
        for report in reporter.stats.get("skipped", ())
        if control.BEGINS in (reason := report.longrepr[2])  # of path, line and reason
    )
    if controls:
        reporter.section(f"skipped because of other programs: {controls.total()}")
        for why, tests in controls.items():
            reporter.line(f"{tests} tests: {why}")
    if failed and (differing := [*unlocked((ROOT / "constraints.txt").read_text("utf-8"))]):
        reporter.section("installed versions that differ from constraints.txt")
        for line in differing:
            reporter.line(line)


def unlocked(constraints: str) -> Iterator[str]:
    """The installed packages with another version than the one that is locked for this Python."""
    for line in constraints.splitlines():
        locked = Requirement(line)
        if locked.marker and not locked.marker.evaluate():
            continue
        try:
            installed = metadata.version(locked.name)
        except metadata.PackageNotFoundError:
            continue
        if not locked.specifier.contains(installed, prereleases=True):
            yield f"{locked.name} {installed}, locked{locked.specifier}"

"""What a run says at its end: second tries, failed controls, packages that are not locked."""

from collections import Counter
from collections.abc import Iterator
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from tests.support import control
from tests.support.paths import ROOT

TOO_MANY = 3
"""Tests that needed a second try make a run fail from this number on."""


def flaky(reporter: pytest.TerminalReporter) -> dict[str, str]:
    """The tests that failed once, and with what."""
    return {report.nodeid: report.longreprtext for report in reporter.stats.get("rerun", ())}


def failed_controls(reporter: pytest.TerminalReporter) -> Counter[str]:
    """Why tests were skipped, and how many."""
    return Counter(
        reason.partition(control.BEGINS)[2]
        for report in reporter.stats.get("skipped", ())
        if control.BEGINS in (reason := report.longrepr[2])  # of path, line and reason
    )


def is_bad(config: pytest.Config) -> bool:
    """Whether a run without failures fails."""
    # The workers of a run have none.
    if not (reporter := config.pluginmanager.get_plugin("terminalreporter")):
        return False
    many = len(flaky(reporter)) >= TOO_MANY
    return many or (config.option.strict_controls and bool(failed_controls(reporter)))


def write(reporter: pytest.TerminalReporter, *, failed: bool) -> None:
    """Add the sections to the end of a run."""
    if again := flaky(reporter):
        reporter.section(f"flaky: {len(again)}, and {TOO_MANY} fail the run")
        for name, failure in sorted(again.items()):
            reporter.line(f"{name}\n{failure}")
    if controls := failed_controls(reporter):
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

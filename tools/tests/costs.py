"""What tests cost: ``pytest -n 0 -p tools.tests.costs FOLDER`` ends with a table.

CPU seconds of each test, with those of the programs that it started and waited for, and what the
peak of memory grew by. Use one process: others have tables of their own.
"""

from __future__ import annotations

import os
import resource
from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

SHOWN = 25
_seconds: dict[str, float] = defaultdict(float)
_megabytes: dict[str, float] = defaultdict(float)


def _used() -> tuple[float, int]:
    """CPU seconds and peak megabytes of this process so far."""
    times = os.times()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return sum(times[:4]), peak // 1024


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    seconds, megabytes = _used()
    result = yield
    after = _used()
    _seconds[item.nodeid] += after[0] - seconds
    _megabytes[item.nodeid] += after[1] - megabytes
    return result


def _by_file(counted: Mapping[str, float]) -> Mapping[str, float]:
    files: dict[str, float] = defaultdict(float)
    for test, number in counted.items():
        files[test.partition("::")[0]] += number
    return files


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    write = terminalreporter.write_line
    total, peak = _used()
    write(f"{total:.0f} CPU s with collection, {peak} MB at most")
    tables: Mapping[str, Mapping[str, float]] = {
        "s by file": _by_file(_seconds),
        "s": _seconds,
        "MB by file": _by_file(_megabytes),
        "MB": _megabytes,
    }
    for title, counted in tables.items():
        write(f"-- {title}")
        for name in sorted(counted, key=counted.__getitem__, reverse=True)[:SHOWN]:
            write(f"{counted[name]:8.1f} {name}")

"""The two tiers of the tests: quick, which `pytest` runs, and real, which `pytest -m real` runs.

A quick test needs the packages of the lock files and nothing else. The real tier has what needs
more of the machine, and the repetitions that are left out of the quick one. Where a file or a
folder is named, the tests of both are run.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")
REAL = "real"
IN_REAL = pytest.mark.real()
"""Marks what needs nothing more of the machine: it repeats a quick test, or installs packages."""


def share(full: int) -> int:
    """As many of `full` examples as the profile runs of hypothesis's usual hundred."""
    return max(1, full * settings().max_examples // 100)


def needs(impossible: Callable[[], str]) -> pytest.MarkDecorator:
    """Marks tests that need more of the machine, and are skipped where `impossible` says why."""
    return pytest.mark.real(impossible())


def without_root() -> str:
    """Why this process cannot act for several users; empty when it can."""
    return "" if os.geteuid() == 0 else "only root can be other users, and give files to them"


def repetitions(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """What the quick tier leaves out.

    Of the cases of a test with the mark ``sampled(n)``, one of n is quick, and of the tests of a
    file with the mark ``scenarios(n)``, which play one program again and again, one of n. Which one
    depends on the name, so that tests of one table take different rows.
    """
    files, tests = _grouped(items, "::"), _grouped(items, "[")
    return [
        *(case for name, cases in tests.items() for case in _repeated(name, cases)),
        *(
            case
            for file, cases in files.items()
            for test in _sampled(file, [*_grouped(cases, "[")], _every(cases[0], "scenarios"))
            for case in tests[test]
        ),
    ]


def _grouped(items: Iterable[pytest.Item], end: str) -> dict[str, list[pytest.Item]]:
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(item.nodeid.partition(end)[0], []).append(item)
    return found


def _repeated(test: str, cases: Sequence[pytest.Item]) -> Sequence[pytest.Item]:
    return _sampled(test, cases, _every(cases[0], "sampled"))


def _every(item: pytest.Item, name: str) -> int:
    mark = item.get_closest_marker(name)
    return mark.args[0] if mark else 1


def _sampled(name: str, rows: Sequence[T], every: int) -> Sequence[T]:
    """All rows but one of so many."""
    first = zlib.crc32(name.encode()) % min(every, len(rows))
    return [row for number, row in enumerate(rows) if number % every != first]

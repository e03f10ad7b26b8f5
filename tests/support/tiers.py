"""The tiers of the tests: quick, real and repeated.

`pytest` runs the quick one: it needs the packages of the lock files and nothing else. The real one
has what needs more of the machine or of time; `.ci/run` runs it too. A scheduled workflow runs the
repeated one: further tests and cases of the others. Where a file or a folder is named, the tests of
all tiers are run.
"""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")
REAL, REPEATED = "real", "repeated"
QUICK = f"not {REAL} and not {REPEATED}"
TIERS = pytest.StashKey[Counter[str]]()
"""How many of the tests that were collected are in each tier."""
IN_REAL = pytest.mark.real()
"""Marks what needs nothing more of the machine than time, such as what installs packages."""


def share(full: int) -> int:
    """As many of `full` examples as the profile runs of hypothesis's usual hundred."""
    return max(1, full * settings().max_examples // 100)


def needs(impossible: Callable[[], str]) -> pytest.MarkDecorator:
    """Marks tests that need more of the machine, and are skipped where `impossible` says why."""
    return pytest.mark.real(impossible())


def without_root() -> str:
    """Why this process cannot act for several users; empty when it can."""
    return "" if os.geteuid() == 0 else "only root can be other users, and give files to them"


def tier_of(item: pytest.Item) -> str:
    """The tier of a test."""
    return next((tier for tier in (REPEATED, REAL) if item.get_closest_marker(tier)), "quick")


def cases_but_one(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases of tests with the mark ``sampled(n)``, but for one of n.

    Which one depends on the name, so that tests of one table take different rows.
    """
    for test, cases in _grouped(items, "[").items():
        yield from _but_one(test, cases, _mark(cases, "sampled"))


def scenarios(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests of files with the mark ``scenarios(n)``, but for one of n.

    They play one program again and again.
    """
    return _tests_but_one(items, lambda cases: _mark(cases, "scenarios"))


def further(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The real tests of each file, but for one of three: a file plays the same programs."""
    return _tests_but_one((each for each in items if tier_of(each) == REAL), lambda _: 3)


def _tests_but_one(
    items: Iterable[pytest.Item], every: Callable[[list[pytest.Item]], int]
) -> Iterator[pytest.Item]:
    for file, cases in _grouped(items, "::").items():
        tests = _grouped(cases, "[")
        for test in _but_one(file, [*tests], every(cases)):
            yield from tests[test]


def _grouped(items: Iterable[pytest.Item], end: str) -> dict[str, list[pytest.Item]]:
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(item.nodeid.partition(end)[0], []).append(item)
    return found


def _mark(items: Sequence[pytest.Item], name: str) -> int:
    """The number of a mark; one without it."""
    mark = items[0].get_closest_marker(name)
    return int(mark.args[0]) if mark else 1


def _but_one(name: str, rows: Sequence[T], every: int) -> Sequence[T]:
    """All rows but one of so many; none if every one is taken."""
    first = zlib.crc32(name.encode()) % min(every, len(rows))
    return [row for number, row in enumerate(rows) if number % every != first]

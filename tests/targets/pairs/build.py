"""Build ``rows.txt`` and ``apart.txt``: which levels of features stand together in a spec.

Each two levels of two features that a target takes together are in a row of it (a 2-way covering
array). ``apart.txt`` has those that the compiler rejects together, with its codes. Run it after a
change of :mod:`tests.targets.pairs.features`, and read what changes::

    python -m tests.targets.pairs.build
"""

import functools
import itertools
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from allpairspy import AllPairs

from clustergen import targets
from clustergen.base.findings import errors
from tests.support.checking import check
from tests.targets.pairs.features import FEATURES, WITHOUT, text

ROWS, APART = (Path(__file__).with_name(name) for name in ("rows.txt", "apart.txt"))

Level = tuple[str, str]
"""A feature and its level."""
Row = tuple[Level, ...]
"""Levels by feature, in order; those that are not there have their first level."""


def codes(target: str, levels: Mapping[str, str]) -> tuple[str, ...]:
    """The codes of the errors of a row."""
    return _codes(target, tuple(levels.items()))


@functools.cache
def _codes(target: str, levels: Row) -> tuple[str, ...]:
    found = errors(check(text(dict(levels), target), target=target).findings)
    return tuple(sorted({finding.code for finding in found}))


def levels(target: str) -> dict[str, list[Level]]:
    """The levels of each feature that the target takes alone."""
    return {
        name: [(name, level) for level in of if not codes(target, {name: level})]
        for name, of in FEATURES.items()
        if name not in WITHOUT[target]
    }


def pairs(target: str) -> Iterator[tuple[Level, Level]]:
    """Each two levels of two features."""
    for one, two in itertools.combinations(levels(target).values(), 2):
        yield from itertools.product(one, two)


def apart(target: str) -> dict[tuple[Level, Level], tuple[str, ...]]:
    """The pairs that the compiler rejects, with its codes."""
    found = {pair: codes(target, dict(pair)) for pair in pairs(target)}
    return {pair: codes for pair, codes in found.items() if codes}


def rows(target: str) -> list[Row]:
    """A covering array: greedy, so a change of the features changes more than a row."""
    refused = [frozenset(pair) for pair in apart(target)]

    def possible(chosen: list[Level]) -> bool:
        last = chosen[-1]
        if any(frozenset((last, other)) in refused for other in chosen):
            return False
        return not codes(target, dict(chosen))

    known = levels(target)
    made = [tuple(row) for row in AllPairs(list(known.values()), filter_func=possible)]
    made += _missing(target, made, known)
    return made


def _missing(target: str, made: list[Row], known: Mapping[str, list[Level]]) -> Iterator[Row]:
    """Rows for pairs that the array leaves out, as it does not go back once a row is rejected."""
    there = {pair for row in made for pair in itertools.combinations(row, 2)}
    out = apart(target)
    for pair in pairs(target):
        if pair in there or pair in out:
            continue
        row = dict(pair)
        for name, of in known.items():
            possible = (level for _, level in of if not codes(target, {**row, name: level}))
            row.setdefault(name, next(possible, of[0][1]))
        ordered = tuple((name, row[name]) for name in known)
        there |= set(itertools.combinations(ordered, 2))
        yield ordered


def shown(row: Row) -> str:
    """Only what is not the first level."""
    more = (each for each in row if each[1] != next(iter(FEATURES[each[0]])))
    return "; ".join(": ".join(each) for each in more)


def read(path: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of each target."""
    found: dict[str, list[dict[str, str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        target, _, given = line.partition(" | ")
        words = [word.split(": ") for word in given.partition(" | ")[0].split("; ") if word]
        found.setdefault(target, []).append(dict(words))
    return found


def _lines(target: str) -> tuple[list[str], list[str]]:
    out = apart(target)
    return (
        [f"{target} | {shown(row)}" for row in rows(target)],
        [f"{target} | {shown(pair)} | {' '.join(codes)}" for pair, codes in out.items()],
    )


def main() -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(_lines, targets.NAMES))
    for path, part in ((ROWS, 0), (APART, 1)):
        lines = [line for each in found for line in each[part]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""A replacement of a range of a text."""

import itertools
from typing import NamedTuple


class NotEditable(Exception):
    """A text gives no clear place for a change."""


class Replacement(NamedTuple):
    """``text`` for the characters from ``start`` to ``end``, which are offsets."""

    start: int
    end: int
    text: str


def overlap(replacements: list[Replacement]) -> bool:
    """Whether two of the sorted replacements change the same characters."""
    pairs = itertools.pairwise(replacements)
    return any(after.start < before.end for before, after in pairs)


def apply_all(source: str, replacements: list[Replacement]) -> str:
    """The text with all replacements, which do not overlap."""
    made: list[str] = []
    done = 0
    for start, end, text in sorted(replacements, key=lambda each: each[:2]):
        made += (source[done:start], text)
        done = end
    return "".join([*made, source[done:]])


def difference(before: str, after: str) -> Replacement:
    """The one replacement that turns a text into another."""
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    return Replacement(start, len(before) - end, after[start : len(after) - end])


def _same(one: str, other: str) -> int:
    """The number of characters that two texts begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))

"""A measured figure: samples of it, their median, and whether it misses its limit."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_DOUBT = 0.025
"""Probability that the true median is below :attr:`Figure.least`."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Samples of one figure in its unit, and the most that their median should be, if anything."""

    what: str
    samples: Sequence[float]
    unit: str
    limit: float | None = None

    @property
    def least(self) -> float:
        """The lower end of the median's confidence interval: of nine samples, the second."""
        return sorted(self.samples)[_rank(len(self.samples))]

    @property
    def missed(self) -> bool:
        """Whether the median is above the limit by more than the noise of the samples."""
        return self.limit is not None and self.least > self.limit

    def __str__(self) -> str:
        """One line of the table; a limit that is missed only within the noise is no verdict."""
        value = f"{_number(statistics.median(self.samples))} {self.unit}"
        spread = f"{_number(min(self.samples))} to {_number(max(self.samples))}"
        if self.limit is None:
            return f"{self.what:<64} {value:>12}  {spread}"
        over = statistics.median(self.samples) > self.limit
        verdict = "MISSED" if self.missed else "within the noise" if over else ""
        limit = f"at most {self.limit:g} {self.unit}"
        return f"{self.what:<64} {value:>12}  {spread:<16} {limit:<16} {verdict}".rstrip()


def _rank(count: int) -> int:
    """How many of ``count`` sorted samples are below the median's confidence interval."""
    rank, below = 0, 0.5**count
    while below <= _DOUBT:
        rank += 1
        below += math.comb(count, rank) * 0.5**count
    return max(rank - 1, 0)


def _number(value: float) -> str:
    """Three digits."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"

"""A move as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import terminal
from clustergen.moving.model import Move


def render(move: Move) -> str:
    return "\n".join(_lines(move)) + "\n"


def _lines(move: Move) -> Iterator[str]:
    yield f"{move.name}: from {move.ends[0]} to {move.ends[1]}"
    number = 0
    for phase in move.lists:
        yield f"  {phase.title}:"
        for step in phase.steps:
            number += phase in move.phases
            mark = f"{number}." if phase in move.phases else "-"
            first = f"    {mark:<4}"
            yield from terminal.wrapped(step, first, " " * len(first), whole_words=True)

"""A move as lines for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from clustergen import terminal
from clustergen.moving.model import Move


def render(move: Move) -> str:
    return "\n".join(_lines(move)) + "\n"


def _lines(move: Move) -> Iterator[str]:
    yield f"{move.name}: from {move.old} to {move.new}"
    number = 0
    for phase in move.lists:
        yield f"  {phase.title}:"
        for step in phase.steps:
            number += phase in move.phases
            mark = f"{number}." if phase in move.phases else "-"
            yield from _wrapped(step, f"    {mark:<4}")


def _wrapped(text: str, first: str) -> list[str]:
    return textwrap.wrap(
        text,
        terminal.width(),
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_on_hyphens=False,
        break_long_words=False,
    )

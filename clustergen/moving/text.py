"""A move as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import terminal
from clustergen.moving.model import Move, Step


def render(move: Move) -> str:
    return "\n".join(_lines(move)) + "\n"


def _lines(move: Move) -> Iterator[str]:
    yield f"{move.name}: from {move.ends[0]} to {move.ends[1]}"
    number = 0
    for phase in move.lists:
        yield f"  {phase.title}:"
        for step in phase.steps:
            number += phase in move.phases
            yield from _step(step, f"{number}." if phase in move.phases else "-")
        if phase.back:
            yield "    to go back from here:"
            for step in phase.back:
                yield from _step(step, "<-")


def _step(step: Step, mark: str) -> Iterator[str]:
    """Its text, and the command in a line of its own, to be copied."""
    first = f"    {mark:<4}"
    rest = " " * len(first)
    text = f"{step.text}:" if step.command else step.text
    yield from terminal.wrapped(text, first, rest, whole_words=True)
    if step.command:
        yield f"{rest}  {step.command}"

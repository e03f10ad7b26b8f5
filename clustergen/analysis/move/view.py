"""A move as a section for each phase, for a terminal, a runbook or a ticket."""

from collections.abc import Iterator

from clustergen.analysis.move.model import Move, Step
from clustergen.output.blocks import Block, Code, Heading, Items, Line, listed, marked


def blocks(move: Move) -> Iterator[Block]:
    old, new = move.ends
    yield Heading((f"{move.name}: from ", Code(old), " to ", Code(new)))
    number = 1
    for phase in move.lists:
        yield Heading(f"{phase.title[0].upper()}{phase.title[1:]}", 2)
        counted = phase in move.phases
        yield Items(tuple(map(_step, phase.steps)), first=number * counted)
        number += len(phase.steps) * counted
        yield from listed("To go back from here:", map(_step, phase.back))


def _step(step: Step) -> Line:
    return (*marked(step.text), ": ", Code(step.command)) if step.command else marked(step.text)

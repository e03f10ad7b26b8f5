"""A move as Markdown, for a runbook or a ticket."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.moving.model import Move, Step
from clustergen.readme.markdown import escape


def render(move: Move) -> str:
    return "\n".join(_lines(move)) + "\n"


def _lines(move: Move) -> Iterator[str]:
    yield f"# {escape(move.name)}: from `{move.ends[0]}` to `{move.ends[1]}`"
    for phase in move.lists:
        yield from ("", f"## {phase.title[0].upper()}{phase.title[1:]}", "")
        mark = "1." if phase in move.phases else "-"
        yield from (f"{mark} {_step(step)}" for step in phase.steps)
        if phase.back:
            yield from ("", "To go back from here:", "")
            yield from (f"- {_step(step)}" for step in phase.back)


def _step(step: Step) -> str:
    text = escape(step.text).replace("\\`", "`")  # around words of the spec
    return f"{text}: `{step.command}`" if step.command else text

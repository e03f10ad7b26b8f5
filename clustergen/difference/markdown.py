"""Differences as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.difference import words
from clustergen.difference.model import Caused, Difference
from clustergen.readme.markdown import escape


def render(differences: Sequence[Difference], everything: bool) -> str:
    return "\n".join("\n".join(_section(each, everything)) + "\n" for each in differences)


def _section(difference: Difference, everything: bool) -> Iterator[str]:
    yield f"### `{difference.target}`: {words.headline(difference)}"
    shown = words.shown(difference, everything)
    if shown:
        yield from ("", "| effect | deploying | because of |", "|---|---|---|")
        yield from map(_row, shown)
    if rest := words.rest(difference, everything):
        yield from ("", rest.partition(";")[0] + ".")
    if difference.steps:
        yield from ("", "In this order:", "")
    for number, step in enumerate(difference.steps, 1):
        yield f"{number}. {escape(step)}"
    if drifted := words.drifted(difference):
        yield from ("", f"{words.DRIFT[0].upper()}{words.DRIFT[1:]}:", "")
        yield from (f"- {escape(each)}" for each in drifted)
    if lines := words.costs(difference):
        whole, *parts = lines
        yield from ("", f"{escape(whole)}:", "", *(f"- {escape(part)}" for part in parts))
    if unknown := words.unknown(difference):
        yield from ("", f"{unknown[0].upper()}{unknown[1:]}.")


def _row(caused: Caused) -> str:
    cells = (caused.effect.kind, escape(caused.effect.text), escape(words.causes(caused)))
    return f"| {' | '.join(cells)} |"

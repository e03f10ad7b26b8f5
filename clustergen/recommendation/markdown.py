"""Recommendations as Markdown, for decision records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.readme.markdown import escape, table
from clustergen.recommendation import answers, words
from clustergen.recommendation.answers import WHY, Answer, Recommendation


def render(found: Recommendation) -> str:
    """A table of all answers, then a section for each."""
    return "\n\n".join(filter(None, _blocks(found))) + "\n"


def _blocks(found: Recommendation) -> Iterator[str]:
    yield f"# {answers.parts(found.need, found.answers)}"
    yield table(["Answer", *words.HEADER[1:]], words.rows(found), right=(1, 4, 5))
    for number, answer in enumerate(found.answers, 1):
        yield f"## {number}. {words.title(answer.offer)}"
        yield _list(list(_items(answer)))
        yield f"```sh\n{answer.verify}\n```"
    if lines := list(answers.advice(found)):
        yield "## What would change the answer"
        yield _list(lines)
    if lines := words.dropped(found):
        yield "## Not possible"
        yield _list(lines)
    yield words.CONVENTION


def _items(answer: Answer) -> Iterator[str]:
    yield f"why: {WHY[answer.offer.certainty]}"
    yield f"where: {words.where(answer)}"
    yield from (f"limit: {limit}" for limit in answer.limits)
    yield from (f"not known offline: {unknown}" for unknown in answer.unknown)
    yield from map(words.service, answer.services)
    yield f"price: {words.price(answer.offer)}"


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {escape(line)}" for line in lines)

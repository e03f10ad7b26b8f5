"""Recommendations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.comparison.columns import columns
from clustergen.recommendation import answers, words
from clustergen.recommendation.answers import WHY, Answer, Recommendation
from clustergen.terminal import wrapped


def render(found: Recommendation) -> str:
    """A table of all answers, then a paragraph for each, and what was dropped."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Recommendation) -> Iterator[str]:
    yield from wrapped(answers.parts(found.need, found.answers), "", "  ")
    if found.answers:
        yield ""
        yield from columns([words.HEADER, *words.rows(found)])
    for number, answer in enumerate(found.answers, 1):
        yield ""
        yield from _answer(number, answer)
    yield from _list("What would change the answer:", list(answers.advice(found)))
    yield from _list("Not possible:", words.dropped(found))
    if found.answers:
        yield ""
        yield from wrapped(words.CONVENTION, "", "")


def _answer(number: int, answer: Answer) -> Iterator[str]:
    offer = answer.offer
    yield from wrapped(f"{number}. {words.title(offer)}", "", "   ")
    yield from _item(f"why: {WHY[offer.certainty]}")
    yield from _item(f"where: {words.where(answer)}")
    for limit in answer.limits:
        yield from _item(f"limit: {limit}")
    for unknown in answer.unknown:
        yield from _item(f"not known offline: {unknown}")
    for service in answer.services:
        yield from _item(words.service(service))
    if offer.price:
        yield from _item(f"price: {words.price(offer)}")
    yield f"   verify: {answer.verify}"


def _item(text: str) -> list[str]:
    return wrapped(text, "   ", "     ")


def _list(head: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield from ("", head)
    for item in items:
        yield from wrapped(item, "  ", "    ")

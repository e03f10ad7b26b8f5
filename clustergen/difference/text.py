"""Differences as lines for a terminal::

pcs: data-at-risk
  data-at-risk    replaces StorageFsx (KmsKeyId changes): the new file system is empty, ...
                  storage[/fsx].kms_key, specs/a.yaml:31
  2 changes in place
  steps:
    1. copy the data first: ...
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from clustergen import terminal
from clustergen.difference import words
from clustergen.difference.model import Caused, Difference
from clustergen.source.characters import visible

_FIRST = "  "
_KIND = 18
"""Characters of the column of kinds."""
_REST = f"{_FIRST}{'':<{_KIND}}"

# Commands stay whole, to be copied.
_wrapped = functools.partial(terminal.wrapped, whole_words=True)


def render(differences: Sequence[Difference], everything: bool) -> str:
    return "".join("\n".join(_lines(each, everything)) + "\n" for each in differences)


def _lines(difference: Difference, everything: bool) -> Iterator[str]:
    yield f"{difference.target}: {words.headline(difference)}"
    for caused in words.shown(difference, everything):
        yield from _effect(caused)
    if rest := words.rest(difference, everything):
        yield f"{_FIRST}{rest}"
    if difference.steps:
        yield f"{_FIRST}in this order:"
    for number, step in enumerate(difference.steps, 1):
        yield from _wrapped(step, f"{_FIRST}  {number}. ", f"{_FIRST}     ", whole_words=True)
    drifted = words.drifted(difference)
    if drifted:
        yield from _wrapped(f"{words.DRIFT}:", _FIRST, _FIRST)
    for line in drifted:
        yield from _wrapped(visible(line), f"{_FIRST}  - ", f"{_FIRST}    ", whole_words=True)
    for number, line in enumerate(words.costs(difference)):
        indent = "  " if number else ""
        yield from _wrapped(
            visible(line), f"{_FIRST}{indent}", f"{_FIRST}{indent}  ", whole_words=True
        )
    if unknown := words.unknown(difference):
        yield from _wrapped(unknown, _FIRST, _FIRST)


def _effect(caused: Caused) -> Iterator[str]:
    effect = caused.effect
    yield from _wrapped(effect.text, f"{_FIRST}{effect.kind:<{_KIND}}", _REST, whole_words=True)
    if caused.causes:
        yield f"{_REST}because of {words.causes(caused)}"

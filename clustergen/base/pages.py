"""Pages in Markdown, from Jinja templates that are easy to proofread.

Line breaks of a template follow its text, not its output, so :func:`render` has its own rules:

- An indented line continues the line above. Code blocks have no indented lines.
- One empty line, or a line with a tag only, divides blocks as well as many. Lists have none.
- The steps of a list all begin with ``1.``, and get their numbers here.
- A section of level 2 without text is left out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from clustergen.base.patterns import pattern

if TYPE_CHECKING:
    from jinja2 import Environment

_BLANK: Final = pattern(r"\n +(?=\n)")
_INDENTED: Final = pattern(r"\n[\n ]* (?=[^\n ])")
_HEADING, _ITEM, _STEP = "## ", "- ", "1."


def render(template: str, values: Mapping[str, object]) -> str:
    """The page from ``template``, a path under ``templates/``, with a final line end.

    :raises jinja2.UndefinedError: for a name without a value.
    :raises TypeError: for a value other than text and whole numbers.
    """
    return _tidy(environment().get_template(template).render(values))


def _tidy(text: str) -> str:
    text = _BLANK.sub("\n", text.replace(" \n", "\n"))
    blocks: list[str] = []
    for block in _INDENTED.sub(" ", text).split("\n\n"):
        _add(blocks, block.strip("\n"))
    if blocks[-1].startswith(_HEADING):
        blocks.pop()
    return "\n\n".join(map(_numbered, blocks)) + "\n"


def _add(blocks: list[str], block: str) -> None:
    """Add a block, to a list that it continues, or in place of a heading without text."""
    last = blocks[-1] if blocks else ""
    if block.startswith((_ITEM, _STEP)) and last.startswith(block[:2]):
        blocks[-1] = f"{last}\n{block}"
    elif block.startswith(_HEADING) and last.startswith(_HEADING):
        blocks[-1] = block
    elif block:
        blocks.append(block)


def _numbered(block: str) -> str:
    if not block.startswith(_STEP):
        return block
    steps = enumerate(block.split("\n"), 1)
    return "\n".join(f"{number}{step[1:]}" for number, step in steps)


@functools.cache
def environment() -> Environment:
    """The environment of all pages. Values are Markdown: callers escape names."""
    from clustergen.base import compiled_templates

    made = compiled_templates.environment(__file__, finalize=_text)
    made.filters["answers"] = _answers
    made.filters["number"] = "{:,}".format
    return made


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        from jinja2 import Undefined

        if not isinstance(value, Undefined):
            raise TypeError(f"no text for {value!r}")
    return str(value)  # raises an error for an undefined name


def _answers(text: str, question: str) -> str:
    """A question and its answer; nothing without an answer."""
    return f"**{question}**: {text.strip()}." if text.strip() else ""

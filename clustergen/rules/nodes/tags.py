"""SPC035, SPC036: tags that AWS takes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RESERVED = Rule(
    code="SPC035",
    title="Tag that AWS keeps to itself",
    why="Keys that begin with `aws:` can only be set by AWS; every create call that has one fails.",
    source="https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html",
    bad="tags: {'aws:team': llm}",
    good="tags: {team: llm}",
)
CHARACTERS = Rule(
    code="SPC036",
    title="Tag with characters that AWS refuses",
    why="What is tagged includes roles and log groups, whose tags are letters, digits, spaces and "
    "few signs; with any other character their creation fails, and with it the stack.",
    source="https://docs.aws.amazon.com/IAM/latest/APIReference/API_Tag.html",
    bad="tags: {owner: alice & bob}",
    good="tags: {owner: alice and bob}",
)
RULES = (RESERVED, CHARACTERS)

_SIGNS = "_.:/=+-@"


def check(plan: Plan) -> Iterator[Finding]:
    for key, value in plan.tags.items():
        if key.lower().startswith("aws:"):
            yield RESERVED.at(
                ("tags", key),
                f"{key!r} is reserved",
                help=f"write {key[4:] or 'team'}",
                on_key=True,
            )
        for text, on_key in ((key, True), (value, False)):
            if wrong := _refused(text):
                yield CHARACTERS.at(
                    ("tags", key),
                    f"{text!r} has {' '.join(wrong)}",
                    help=f"letters, digits, spaces and {_SIGNS} are taken",
                    on_key=on_key,
                )


def _refused(text: str) -> list[str]:
    """The characters of ``text`` that no tag may have, each once."""
    taken = (c in _SIGNS or unicodedata.category(c)[0] in "LNZ" for c in text)
    return list(dict.fromkeys(c for c, fine in zip(text, taken, strict=True) if not fine))

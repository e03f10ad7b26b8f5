"""Words that the formats share."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen.difference.changes import SpecChange
from clustergen.difference.model import Caused, Difference
from clustergen.effects.model import MEANINGS

QUIET = ("none", "in-place")
"""Kinds that are only counted."""


def headline(difference: Difference) -> str:
    kind = difference.kind
    return f"{kind} ({MEANINGS[kind]})"


def shown(difference: Difference, everything: bool) -> Sequence[Caused]:
    return [each for each in difference.effects if everything or each.effect.kind not in QUIET]


def rest(difference: Difference, everything: bool) -> str:
    """How many effects are not shown."""
    number = len(difference.effects) - len(shown(difference, everything))
    noun = "change" if number == 1 else "changes"
    return f"{number} {noun} in place; --all lists them" if number else ""


def causes(caused: Caused) -> str:
    """The fields of the spec, with their positions."""
    return ", ".join(map(_place, caused.causes))


def _place(change: SpecChange) -> str:
    span = change.span
    return f"{change.dotted} ({span.file}:{span.line})" if span else change.dotted


_NODES = "whether nodes run, and what jobs they have"
_DRIFT = "changes that were made by hand"
_IMAGES = "whether AWS has a newer default AMI, with which any update of the stack replaces nodes"


def unknown(difference: Difference) -> str:
    """What a comparison of files cannot know; empty where nothing is at stake."""
    if all(each.effect.kind in QUIET for each in difference.effects):
        return ""
    facts = [_NODES, _DRIFT, *([_IMAGES] if difference.target == "pcs" else [])]
    return f"not known without AWS: {'; '.join(facts)}"

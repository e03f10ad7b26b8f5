"""What deploying a bundle over an earlier one does, beyond changing things in place."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Literal, NamedTuple

from clustergen.artifacts import Json
from clustergen.patterns import pattern

Kind = Literal[
    "refused",
    "replaces-resource",
    "removes-resource",
    "needs-stop",
    "removes-nodes",
    "replaces-nodes",
    "new-nodes-only",
    "left-over",
    "unknown",
]

_REFERENCE = pattern(r'"(?:Ref|Fn::GetAtt)": \[?"(\w+)|\$\{(\w+)')


class Effect(NamedTuple):
    """An effect: its kind, on what, because of which change, in words that go on "deploying it"."""

    kind: Kind
    subject: str
    """A logical id, the path of a key, or the name of an instance group."""
    cause: str
    """The property that changes; empty where the subject itself comes or goes."""
    text: str


def references(value: Any) -> set[str]:
    """The resources or outputs that a value of a document refers to."""
    found = _REFERENCE.finditer(json.dumps(value))
    return {match[1] or match[2] for match in found}


def differs(old: Any, new: Any, gone: Collection[str]) -> bool:
    """Whether two values differ, also by referring to something that gets another id."""
    return bool(old != new or references(new) & set(gone))


def named(items: Any, key: str) -> dict[str, Json]:
    """The maps of a list by the name that ``key`` gives them."""
    found = items if isinstance(items, list) else []
    return {str(item.get(key)): item for item in found if isinstance(item, dict)}

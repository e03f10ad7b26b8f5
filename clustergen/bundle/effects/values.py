"""Comparing values of documents."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern

_REFERENCE = pattern(r'"Ref": "(\w+)|"Fn::GetAtt": \["(\w+)", "([\w.]+)|\$\{(\w+)(?:\.(\w+))?')


def references(value: Any) -> set[str]:
    """The resources, outputs and attributes (``Resource.Attribute``) that a value refers to."""
    found: set[str] = set()
    for match in _REFERENCE.finditer(json.dumps(value)):
        name = match[1] or match[2] or match[4]
        attribute = match[3] or match[5]
        found |= {name, f"{name}.{attribute}"} if attribute else {name}
    return found


def differs(old: Any, new: Any, moved: Collection[str]) -> bool:
    """Whether two values differ, also by referring to something that gets another id."""
    return bool(old != new or (moved and references(new) & set(moved)))


def named(items: Any, key: str) -> dict[str, Json]:
    """The maps of a list by the name that ``key`` gives them."""
    found = items if isinstance(items, list) else []
    return {str(item.get(key)): item for item in found if isinstance(item, dict)}


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """The values below maps by dotted path; lists and intrinsic functions are values."""
    if isinstance(value, dict) and not any(
        (key == "Ref" or key.startswith("Fn::")) for key in value
    ):
        for key, inner in value.items():
            yield from leaves(inner, f"{at}.{key}" if at else key)
    else:
        yield at, value


def changed(old: Any, new: Any, moved: Collection[str] = ()) -> list[str]:
    """The dotted paths of leaves that differ, in the order of the documents."""
    before, after = dict(leaves(old)), dict(leaves(new))
    return [
        path
        for path in dict.fromkeys((*before, *after))
        if differs(before.get(path), after.get(path), moved)
    ]


def is_below(path: str, other: str) -> bool:
    """Whether one of two dotted paths contains the other."""
    return path == other or path.startswith(f"{other}.") or other.startswith(f"{path}.")

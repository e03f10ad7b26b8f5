"""Access to parts of an overlaid document, which may have any form."""

from collections.abc import Mapping
from typing import Any

from clustergen.facts.schemas.replacements import NAMES

Json = Mapping[str, Any]


def as_map(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def maps(value: Any) -> list[Json]:
    return [item for item in as_list(value) if isinstance(item, Mapping)]


def counterpart(resource: Any, merged: Mapping[str, Any]) -> str:
    """The logical id of the resource of the same type and name; empty if there is none.

    A type whose resources have no names in templates is enough.
    """
    type = as_map(resource).get("Type")
    if not type:
        return ""
    key = NAMES.get(type, "AddonName")
    name = as_map(as_map(resource).get("Properties")).get(key, type)
    for id, each in as_map(merged.get("Resources")).items():
        found = as_map(each)
        if found.get("Type") == type and as_map(found.get("Properties")).get(key, type) == name:
            return str(id)
    return ""

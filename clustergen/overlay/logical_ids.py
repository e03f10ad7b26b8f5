"""Resources that an overlay has under another logical id than the rendered template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.facts.schemas.replacing import NAMES
from clustergen.overlay.parts import as_map


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

"""Access to parts of an overlaid document, which may have any form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def as_map(value: Any) -> Json:
    """``value`` if it is a map, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def maps(value: Any) -> list[Json]:
    """The maps in a list."""
    return [item for item in as_list(value) if isinstance(item, Mapping)]

"""Single faults: a copy of a good document with one value changed."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

GONE = object()
"""The value that takes a key or an item away."""


def changed(document: Any, path: Sequence[str | int], value: Any) -> Any:
    """A deep copy of `document` with `value` at `path`; an index one past a list's end appends."""
    copied = copy.deepcopy(document)
    node = copied
    for step in path[:-1]:
        node = node[step]
    last: Any = path[-1]
    if value is GONE:
        del node[last]
    elif isinstance(node, list) and last == len(node):
        node.append(value)
    else:
        node[last] = value
    return copied

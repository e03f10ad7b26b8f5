"""Single faults: a copy of a good document with one value changed."""

import copy
from typing import Any

GONE = object()
"""The value that takes a key or an item away."""


def changed(document: Any, path: str, value: Any) -> Any:
    """A deep copy of `document` with `value` at `path`; an index one past a list's end appends.

    `path` is dotted, list indexes are numbers: `SharedStorage.0.MountDir`.
    """
    copied = copy.deepcopy(document)
    *steps, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    node = copied
    for step in steps:
        node = node[step]
    if value is GONE:
        del node[last]
    elif isinstance(node, list) and last == len(node):
        node.append(value)
    else:
        node[last] = value
    return copied

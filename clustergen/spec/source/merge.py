"""Merging several specs into one.

JSON merge patch (https://www.rfc-editor.org/rfc/rfc7396) with one addition: lists of named mappings
merge by name, because node groups and queues are such lists.
"""

from dataclasses import replace
from typing import Any

from clustergen.spec.source.nodes import Entries, Items, Node, Place, Text, plain

_NOWHERE = Place(Text("", ()), 0, 0, 0, 0)

_OVERLAY = "overlay"
"""In a section with this name, ``null`` is kept: it deletes from the target's document."""


def merge(base: Any, over: Any, *, name_key: str = "name") -> Any:
    """``base`` merged with ``over``, as new plain data.

    Mappings merge, ``null`` deletes, lists whose items are all mappings with ``name_key`` merge by
    that name (new ones are appended), everything else replaces. In ``overlay`` a ``null`` stays.
    """
    return plain(merge_nodes(_bare(base), _bare(over), name_key))


def merge_nodes(base: Node, over: Node, name_key: str = "name", *, nulls: bool = False) -> Node:
    """:func:`merge` for trees; values from ``over`` keep their positions.

    With ``nulls``, ``null`` is kept, as inside overlays.
    """
    if isinstance(over.value, dict):
        entries = base.value if isinstance(base.value, dict) else {}
        return replace(over, value=_merge_entries(entries, over.value, name_key, nulls))
    items = _named_items(over, name_key)
    if items and (known := _named_items(base, name_key)):
        return replace(over, value=_merge_items(known, items, name_key, nulls))
    return over


def _merge_entries(base: Entries, over: Entries, name_key: str, nulls: bool) -> Entries:
    merged = dict(base)
    for key, node in over.items():
        if node.value is None and not nulls:
            merged.pop(key, None)
        else:
            keep = nulls or key == _OVERLAY
            merged[key] = merge_nodes(base.get(key, _NOTHING), node, name_key, nulls=keep)
    return merged


def _merge_items(base: Items, over: Items, name_key: str, nulls: bool) -> Items:
    """The merged items; a duplicate name in ``over`` is kept, so that a later check finds it."""
    merged = list(base)
    waiting = {_name(item, name_key): index for index, item in reversed([*enumerate(base)])}
    for item in over:
        index = waiting.pop(_name(item, name_key), None)
        if index is None:
            merged.append(merge_nodes(_NOTHING, item, name_key, nulls=nulls))
        else:
            merged[index] = merge_nodes(base[index], item, name_key, nulls=nulls)
    return tuple(merged)


def _named_items(node: Node, name_key: str) -> Items:
    """The items of a list by name; empty if it is not a list of named mappings."""
    items = node.value if isinstance(node.value, tuple) else ()
    return items if all(_name(item, name_key) is not None for item in items) else ()


def _name(item: Node, name_key: str) -> str | None:
    name = item.child(name_key)
    return str(name.value) if name and isinstance(name.value, str | int | float) else None


def _bare(data: Any) -> Node:
    """A tree without positions for plain data."""
    if isinstance(data, dict):
        return Node({key: _bare(value) for key, value in data.items()}, _NOWHERE)
    if isinstance(data, list | tuple):
        return Node(tuple(_bare(item) for item in data), _NOWHERE)
    return Node(data, _NOWHERE)


_NOTHING = Node(None, _NOWHERE)

"""How two specs differ, field by field."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from clustergen.base.findings import Span
from clustergen.spec.source.nodes import Node, plain

_KEYS = ("name", "mount", "path", "run")
"""The keys that name an item of a list."""


class Item(NamedTuple):
    """A step to an item of a list, by its name."""

    name: str


Step = str | Item


class SpecChange(NamedTuple):
    """A field with two values; None where it is not written."""

    path: tuple[Step, ...]
    old: Node | None
    new: Node | None

    @property
    def dotted(self) -> str:
        """``storage[/fsx].kms_key``"""
        steps = (f"[{each.name}]" if isinstance(each, Item) else f".{each}" for each in self.path)
        return "".join(steps).removeprefix(".") or "the spec"

    @property
    def span(self) -> Span | None:
        """Its position in the new spec, or in the old one if it is gone."""
        node = self.new or self.old
        return node.span() if node else None


def changes(old: Node | None, new: Node | None, at: tuple[Step, ...] = ()) -> Iterator[SpecChange]:
    """The fields that differ, as deep in the specs as possible."""
    before, after = _children(old), _children(new)
    if not before or not after or type(old and old.value) is not type(new and new.value):
        if _data(old) != _data(new):
            yield SpecChange(at, old, new)
        return
    if _reordered(before, after):
        yield SpecChange(at, old, new)
        return
    for step in dict.fromkeys((*before, *after)):
        yield from changes(before.get(step), after.get(step), (*at, step))


def _reordered(before: dict[Step, Node], after: dict[Step, Node]) -> bool:
    """Whether items of a list have another order: the first queue is the default one."""
    shared = [step for step in before if step in after]
    is_list = any(isinstance(step, Item) for step in shared)
    return is_list and shared != [step for step in after if step in before]


def _data(node: Node | None) -> object:
    return None if node is None else plain(node)


def _children(node: Node | None) -> dict[Step, Node]:
    """The entries of a map, or the items of a list that all have different names."""
    if node is None or not isinstance(node.value, dict | tuple):
        return {}
    if isinstance(node.value, dict):
        return dict[Step, Node](node.value.items())
    names = [_name(item) for item in node.value]
    if None in names or len(set(names)) < len(names):
        return {}
    return {Item(str(name)): item for name, item in zip(names, node.value, strict=True)}


def _name(item: Node) -> str | None:
    if not isinstance(item.value, dict):
        return None
    named = (item.value[key].value for key in _KEYS if key in item.value)
    return next((value for value in named if isinstance(value, str)), None)


def applied(node: Node, path: Sequence[Step], value: Node | None) -> Node:
    """A spec with another value at ``path``, as a change has it."""
    if not path:
        return value or node
    children = _children(node)
    step, rest = path[0], path[1:]
    inner = applied(children[step], rest, value) if rest and step in children else value
    if inner is None:
        children.pop(step, None)
    else:
        children[step] = inner
    if isinstance(node.value, dict):
        entries = {key: child for key, child in children.items() if isinstance(key, str)}
        return replace(node, value=entries)
    return replace(node, value=tuple(children.values()))

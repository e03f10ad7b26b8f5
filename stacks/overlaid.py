"""Applying a user's overlay to a stack of constructs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import aws_cdk as cdk

from clustergen.artifacts import Json

from . import template

_Change = tuple[tuple[str, ...], Any]


def apply(stack: cdk.Stack, before: Json, after: Json, imports: Mapping[str, str]) -> None:
    """Change ``stack``, whose rendered template is ``before``, to ``after``.

    Both are rendered templates, in which ``imports`` are parameters.
    """
    old, new = template.imported(before, imports), template.imported(after, imports)
    elements = _elements(stack)
    for name, resource in old["Resources"].items():
        if name not in new["Resources"]:
            _remove(elements[name])
            continue
        for path, value in changes(resource, new["Resources"][name]):
            found = elements[name]
            if isinstance(found, cdk.CfnResource):
                found.add_override(".".join(key.replace(".", "\\.") for key in path), value)
    for section in ("Parameters", "Mappings", "Conditions", "Outputs"):
        for name, made in old.get(section, {}).items():
            if new.get(section, {}).get(name) != made:
                _remove(elements[name])
    template.fill(stack, _added(old, new))


def changes(old: Json, new: Json, path: tuple[str, ...] = ()) -> Iterator[_Change]:
    """Each path at which ``new`` differs, with the new value; None if it is removed.

    Lists and intrinsic functions are replaced as a whole.
    """
    for key in [*old, *(key for key in new if key not in old)]:
        here, was, now = (*path, key), old.get(key), new.get(key)
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict) and not _is_whole(was, now):
            yield from changes(was, now, here)
        else:
            yield here, now


def _is_whole(*values: Json) -> bool:
    """Whether one of ``values`` is an intrinsic function, which cannot be merged."""
    return any(len(v) == 1 and (next(iter(v)) == "Ref" or "::" in next(iter(v))) for v in values)


def _added(old: Json, new: Json) -> Json:
    """A template with the additions and changes from ``old`` to ``new``."""
    names = {name: old.get("Resources", {}).get(name) for name in new["Resources"]}
    resources = {n: r for n, r in new["Resources"].items() if names[n] is None}
    sections = {
        section: {
            name: made
            for name, made in new.get(section, {}).items()
            if old.get(section, {}).get(name) != made
        }
        for section in ("Parameters", "Mappings", "Conditions", "Outputs")
    }
    plain = {key: new[key] for key in _PLAIN if key in new}
    return {**plain, **sections, "Resources": resources}


_PLAIN = ("AWSTemplateFormatVersion", "Description", "Metadata", "Transform")


def _elements(stack: cdk.Stack) -> dict[str, cdk.CfnElement]:
    """The elements of a stack, by logical id."""
    found = (node for node in stack.node.find_all() if isinstance(node, cdk.CfnElement))
    return {stack.resolve(element.logical_id): element for element in found}


def _remove(element: cdk.CfnElement) -> None:
    scope = element.node.scope
    if scope is not None:
        scope.node.try_remove_child(element.node.id)

"""The section of the language that describes a place in a spec, from the stored JSON Schema."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clustergen.base.documents import value_at
from clustergen.base.findings import Path
from clustergen.spec import schema

Node = Mapping[str, Any]
"""A part of the JSON Schema."""

# The keys whose value users often write instead of the section.
_MAIN = ("id", "instance_type", "size", "zone", "run", "mount", "group", "os", "source")


def keys(path: Path, data: Any) -> list[str]:
    """The keys that the mapping at ``path`` of ``data`` may have; empty if all are allowed."""
    return sorted(_properties(path, data))


def main_key(path: Path, data: Any) -> str | None:
    """The key of the section at ``path`` for which a single text was probably meant."""
    only = required(path, data)
    known = (name for name in _properties(path, data) if name in _MAIN)
    return next(known, only[0] if len(only) == 1 else None)


def required(path: Path, data: Any) -> Sequence[str]:
    """The keys that the section at ``path`` needs; if there are several, those of the first."""
    return next((section.get("required", ()) for section in _at(path, data)), ())


def types(path: Path, data: Any) -> list[str]:
    """The allowed values of ``type`` in the section at ``path``."""
    return [str(type) for section in _at(path, data) if (type := _type(section)) is not None]


def description(path: Path, data: Any) -> str:
    found: str = _properties(path[:-1], data).get(path[-1], {}).get("description", "")
    return found


def only_value(path: Path, data: Any) -> object:
    """The one value that the field at ``path`` takes; None if it takes several."""
    return _properties(path[:-1], data).get(path[-1], {}).get("const")


def choices(path: Path) -> list[str]:
    """The values that the field at ``path`` takes, if it takes only these."""
    return [str(each) for each in _properties(path[:-1], {}).get(path[-1], {}).get("enum", ())]


def owner(key: str, path: Path, data: Any) -> str:
    """The one section of that at ``path`` that has ``key``; empty if there is none, or several."""
    found = {
        name
        for name, node in _properties(path, data).items()
        if any(key in form.get("properties", ()) for form in forms(node))
    }
    return found.pop() if len(found) == 1 else ""


def forms(node: Node) -> Iterator[Node]:
    """The schemas that a value may match, without references and null."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        yield from forms({**language()["$defs"][name], **beside})
        return
    choices: Sequence[Node] = node.get("anyOf") or node.get("oneOf") or ()
    for choice in choices:
        yield from forms(choice)
    if not choices and node.get("type") != "null":
        yield node


@functools.cache
def language() -> Node:
    """The JSON Schema of a spec."""
    return schema.schema()


def _properties(path: Path, data: Any) -> Mapping[Any, Node]:
    """The fields of the section at ``path``; if there are several, those of the first."""
    return next((section["properties"] for section in _at(path, data)), {})


def _at(path: Path, data: Any) -> list[Node]:
    """The sections that a value at ``path`` may be; if it has a ``type``, the one of that type."""
    here = [language()]
    for step in path:
        data = value_at(data, (step,))
        if isinstance(step, str):
            fields = (section["properties"].get(step, {}) for section in here)
            here = [section for field in fields for section in _sections(field)]
        here = of_type(here, data)
    return here


def _sections(node: Node) -> Iterator[Node]:
    """The sections that a field takes, alone or in a list."""
    for form in forms(node):
        if "properties" in form:
            yield form
        yield from _sections(form["items"]) if "items" in form else ()


def inside(form: Node, step: str | int) -> Node | None:
    """The schema of what is at one ``step`` of a path in a value of this form."""
    found = form.get("properties", {}).get(step, form.get("additionalProperties"))
    found = form.get("items") if isinstance(step, int) else found
    return found if isinstance(found, dict) else None


def of_type(forms: list[Node], data: Any) -> list[Node]:
    """Those of ``forms`` that ``data`` has by its ``type``; all of them if that tells nothing."""
    written = data.get("type") if isinstance(data, dict) else None
    return [each for each in forms if written is not None and _type(each) == written] or forms


def _type(form: Node) -> object:
    return form.get("properties", {}).get("type", {}).get("const")

"""The fields of the language, as its JSON Schema describes them."""

import functools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from clustergen.base.findings import Path
from clustergen.editor.outline import Node
from clustergen.spec import sections

Schema = Mapping[str, Any]


class Field(NamedTuple):
    """A key of a section."""

    name: str
    schema: Schema
    required: bool


@functools.cache
def top_level() -> frozenset[str]:
    """The keys of a spec."""
    return frozenset(sections.language()["properties"])


def forms(path: Path, root: Node) -> list[Schema]:
    """The forms that the value at ``path`` may have; with a ``type`` written, those of the type."""
    here = list(sections.forms(sections.language()))
    node: Node | None = root
    for step in path:
        node = node.child(step) if node else None
        inside = [found for form in here if (found := sections.inside(form, step)) is not None]
        written = {"type": node.text_at("type") if node else ""}
        here = sections.of_type([form for one in inside for form in sections.forms(one)], written)
    return here


def keys(path: Path, root: Node) -> list[Field]:
    """The keys that the mapping at ``path`` may have, in the order of the language."""
    found: dict[str, Field] = {}
    for form in forms(path, root):
        required = form.get("required", ())
        for name, schema in form.get("properties", {}).items():
            found.setdefault(name, Field(name, schema, name in required))
    return list(found.values())


def field(path: Path, root: Node) -> Field | None:
    """The field at ``path``; for an item of a list, that of the list."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return next((f for f in keys(path[:-1], root) if path and f.name == path[-1]), None)


def options(form: Schema) -> list[str]:
    """The words that a form allows, if it names all of them."""
    if "const" in form:
        return [_word(form["const"])]
    if form.get("type") == "boolean":
        return ["true", "false"]
    return [_word(option) for option in form.get("enum", ())]


def default(schema: Schema) -> str:
    """The default of a field, as it is written; empty if there is none that is worth a word."""
    value = schema.get("default")
    return "" if value in (None, {}, [], "") else _word(value)


def kind(schema: Schema) -> str:
    """What a field takes, in a few words."""
    words = dict.fromkeys(word for form in sections.forms(schema) if (word := _kind(form)))
    return " or ".join(words)


def is_only(type: str, schema: Schema) -> bool:
    """Whether the only form of the field has this type."""
    return all(form.get("type") == type for form in sections.forms(schema))


def documentation(found: Field) -> str:
    about = [found.schema.get("description", "").replace("``", "`")]
    facts = ["required" if found.required else "", kind(found.schema)]
    value = default(found.schema)
    facts += [f"default `{value}`"] if value else []
    about.append("; ".join(filter(None, facts)))
    return "\n\n".join(filter(None, about))


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_KINDS = {"string": "text", "integer": "whole number", "number": "number", "array": "list"}
_MOST_OPTIONS = 12


def _kind(form: Schema) -> str:
    words = options(form)
    if words and len(words) <= _MOST_OPTIONS:
        return ", ".join(f"`{word}`" for word in words)
    name = form.get("type", "")
    example = form.get("examples", ())
    return _KINDS.get(name, "mapping") + (f", e.g. `{example[0]}`" if example else "")

"""Write the schemas of the models: ``python -m tools.spec.build [--check]``.

``core_schema.json`` is what specs are read with, ``json_schema.json`` what editors get,
``instead.json`` the help for options that are another target's. The models
are those of :mod:`clustergen.spec.model`, and one for the section of each target, made from its
options (:mod:`clustergen.spec.options`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clustergen.spec import core_schema, misplaced, schema, validators
from clustergen.spec.base import NODE_TYPE, SERVICE_NODE_TYPE, Section
from clustergen.spec.core_schema import DEFAULTS, FUNCTION, SECTION
from tools.spec import declared

# Parts of a core schema that reading does not need.
_LEFT_OUT = (
    "json_schema_input_schema",
    "metadata",
    "serialization",
    "serialization_alias",
    "title",
)
# References to a model contain its memory address.
_ADDRESS = re.compile(r"(?<=\w):[0-9]{9,}$")


def content() -> str:
    """The content of the core schema."""
    language = declared.language()
    language.model_rebuild()
    absent = {name: _data(model.absent()) for name, model in declared.targets().items()}
    made = {"schema": _data(language.__pydantic_core_schema__), "targets": absent}
    return "".join(_lines(made)) + "\n"


def json_schema() -> str:
    """The content of the JSON Schema."""
    language = declared.language()
    # Pydantic before 2.14 cannot write a default value of a model that was not built yet.
    for section in _below(Section):
        section.model_rebuild()
    made = language.model_json_schema(by_alias=True, mode="validation")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "clustergen spec, version 1",
    }
    rest = {key: _terse(value) for key, value in made.items() if key != "title"}
    return "".join(_lines({**head, **rest})) + "\n"


def _below(model: type[Section]) -> Iterator[type[Section]]:
    for each in model.__subclasses__():
        yield each
        yield from _below(each)


_REFERENCE = {"$ref": f"#/$defs/{schema.INSTANCE_TYPE}"}
_FORMATS: Mapping[str, dict[str, Any]] = {
    NODE_TYPE: _REFERENCE,
    SERVICE_NODE_TYPE: {"anyOf": [_REFERENCE, {"type": "string"}]},
}
"""The schema in place of a format."""


def _terse(node: Any) -> Any:
    """``node`` without parts that editors do not need.

    This removes titles made of field names, and defaults of whole sections, which repeat, and puts
    the names of instance types in place of their format.
    """
    if isinstance(node, list):
        return [_terse(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("format") in _FORMATS:
        kept = {key: value for key, value in node.items() if key not in ("format", "type")}
        return {**_FORMATS[node["format"]], **kept}
    return {
        key: _terse(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and "$ref" in node)
    }


def _lines(value: Any, indent: str = "", used: int = 0) -> Iterator[str]:
    """``value`` as JSON, with small values on one line, so that a changed field is a one-line diff.

    ``used`` is the width of the text before it on the line.
    """
    flat = json.dumps(value)
    if not isinstance(value, dict | list) or len(indent) + used + len(flat) <= _WIDTH:
        yield flat
        return
    yield flat[0]
    for number, (key, item) in enumerate(_members(value)):
        yield f"{',' if number else ''}\n{indent} {key}"
        yield from _lines(item, f"{indent} ", len(key))
    yield f"\n{indent}{flat[-1]}"


def _members(value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    """The prefix of each member of an object or array, and the member."""
    if isinstance(value, dict):
        yield from ((f"{json.dumps(key)}: ", item) for key, item in value.items())
    else:
        yield from (("", item) for item in value)


_WIDTH = 98  # with a comma, at most 100


def _data(node: Any) -> Any:
    """A part of a core schema as JSON; functions and models become markers."""
    if isinstance(node, Section):
        return {DEFAULTS: {key: _data(value) for key, value in vars(node).items()}}
    if isinstance(node, Mapping):
        if node.get("type") == "model" and "cls" in node:
            node = {
                key: node[key] for key in ("type", "cls", "schema", "config", "ref") if key in node
            }
        return {key: _data(value) for key, value in node.items() if key not in _LEFT_OUT}
    if isinstance(node, list | tuple):
        return [_data(item) for item in node]
    if isinstance(node, type):
        return {SECTION: node.__name__}
    if callable(node):
        return {FUNCTION: _name(node)}
    return _ADDRESS.sub("", node) if isinstance(node, str) else node


def _name(function: Any) -> str:
    for name, known in vars(validators).items():
        if known is function:
            return name
    raise TypeError(f"{function!r} is not in clustergen.spec.validators")


def files() -> dict[Path, str]:
    """The compiled files of the language."""
    return {
        core_schema.FILE: content(),
        schema.STORED: json_schema(),
        misplaced.INSTEAD: "".join(_lines(declared.instead())) + "\n",
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` compare."""
    stale = False
    for file, made in files().items():
        if "--check" not in arguments:
            file.write_text(made, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != made:
            print(f"{file.name} is out of date; run `python -m tools.spec.build`")
            stale = True
    return int(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

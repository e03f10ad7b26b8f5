"""Write ``core_schema.json`` from the models: ``python -m clustergen.spec.build [--check]``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from clustergen.spec import core_schema, validators
from clustergen.spec.base import Section
from clustergen.spec.core_schema import DEFAULTS, FUNCTION, SECTION
from clustergen.spec.model import Spec
from clustergen.spec.targets import Targets

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
    """The content of the file."""
    Spec.model_rebuild()
    schema = _data(Spec.__pydantic_core_schema__)
    made = {"schema": schema, "targets": dict(_targets())}
    return "".join(_lines(made)) + "\n"


def _targets() -> Iterator[tuple[str, Any]]:
    """The defaults of all targets' sections."""
    for name, field in Targets.model_fields.items():
        (section,) = (m for m in get_args(field.annotation) if issubclass(m, Section))
        yield name, _data(section.absent())


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


def main(arguments: list[str]) -> int:
    """Write the file, or with ``--check`` compare."""
    made = content()
    if "--check" not in arguments:
        core_schema.FILE.write_text(made, encoding="utf-8")
    elif core_schema.FILE.read_text(encoding="utf-8") != made:
        print("core_schema.json is out of date; run `python -m clustergen.spec.build`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

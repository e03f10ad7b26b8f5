"""The page on the language, from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.spec.schema import schema

_HEAD = """\
# The language, version 1

Generated from the JSON Schema by `python docs/build.py`. Unknown keys are errors.

- Sizes need a unit (`500GiB`, `4.8TiB`), and so do durations (`90s`, `10m`, `12h`, `7d`, or
  `7-00:00:00` in Slurm's notation). A number without a unit is an error.
- Only `true`, `false`, `null` and numbers are converted; `NO`, `24:00:00` and `012345678901` stay
  text. Duplicate keys and merge keys (`<<`) are errors.
- A spec can also be written in JSON.
"""

_NAMES = {"string": "text", "integer": "whole number", "number": "number", "null": "null"}


def page() -> str:
    """The page, in Markdown."""
    made = schema()
    sections: dict[str, Mapping[str, Any]] = {"Spec": {**made, "title": "Spec"}}
    _collect(made, made["$defs"], sections)
    lines = [_HEAD]
    for name, section in sections.items():
        lines += _section(name, section)
    return "\n".join(lines).rstrip("\n") + "\n"


def _collect(node: Any, defs: Mapping[str, Any], found: dict[str, Mapping[str, Any]]) -> None:
    """Add the sections that ``node`` refers to, each followed by those it refers to itself."""
    for name in _references(node):
        if name not in found:
            found[name] = defs[name]
            _collect(defs[name], defs, found)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rpartition("/")[2]
        for key, value in node.items():
            if key not in ("$defs", "discriminator"):
                yield from _references(value)
    if isinstance(node, list):
        for item in node:
            yield from _references(item)


def _section(name: str, section: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield _markdown(section.get("description", ""))
    yield ""
    if not section.get("properties"):
        return
    yield "| key | value | default | |"
    yield "|---|---|---|---|"
    for key, value in section["properties"].items():
        default = "**required**" if key in section.get("required", ()) else _default(value)
        description = _markdown(value.get("description", ""))
        yield f"| `{key}` | {_type(value)} | {default} | {description} |"
    yield ""


def _markdown(text: str) -> str:
    """A docstring's text: its double backquotes are Markdown's single ones."""
    return text.replace("``", "`").replace("|", "\\|")


def _default(value: Mapping[str, Any]) -> str:
    default = value.get("default")
    if default in (None, {}, [], ""):
        return ""
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def _type(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in value:
            members = dict.fromkeys(_type(v) for v in value[union] if v.get("type") != "null")
            if "number" in members:
                members.pop("whole number", None)
            return " or ".join(members)
    if "const" in value:
        return f"`{json.dumps(value['const']).strip(chr(34))}`"
    if "enum" in value:
        return ", ".join(f"`{option}`" for option in value["enum"])
    return _plain(value)


def _plain(value: Mapping[str, Any]) -> str:
    match value.get("type"):
        case "array":
            return f"list of {_type(value['items'])}"
        case "object":
            inside = value.get("additionalProperties")
            return f"mapping to {_type(inside)}" if isinstance(inside, dict) else "mapping"
        case "boolean":
            return "`true`, `false`"
        case "string" if "examples" in value:
            return f"text, e.g. `{value['examples'][0]}`"
        case str(name):
            return _NAMES[name] + _range(value)
        case _:
            return "anything"


def _range(value: Mapping[str, Any]) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    return "" if low is None else f", at least {low}"

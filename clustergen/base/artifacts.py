"""Files that a target emits, as values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as quoted
from typing import Any

Json = dict[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a bundle; ``path`` is relative, with forward slashes."""

    path: str
    text: str
    executable: bool = False


Bundle = tuple[Artifact, ...]


def json_artifact(path: str, document: Mapping[str, Any]) -> Artifact:
    """``document`` as readable JSON, in the order it was built."""
    return Artifact(path, json_text(document) + "\n")


def json_text(document: Any) -> str:
    """The text of ``json.dumps(document, indent=2, ensure_ascii=False)``, but several times as
    fast: json runs a generator for each value if it indents."""
    return _json(document, "\n")


def compact_text(document: Any) -> str:
    """JSON as it is sent: indentation and line ends have no meaning."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ": "))


def _json(value: Any, end: str) -> str:
    """``value`` as JSON; ``end`` is the line break and the indentation of its closing bracket."""
    if isinstance(value, str):
        return quoted(value)
    inside = end + "  "
    if isinstance(value, dict):
        items = [f"{_key(key)}: {_json(inner, inside)}" for key, inner in value.items()]
        return _enclosed("{", items, "}", end)
    if isinstance(value, list | tuple):
        return _enclosed("[", [_json(inner, inside) for inner in value], "]", end)
    if type(value) is int:
        return str(value)
    return json.dumps(value)


def _key(key: Any) -> str:
    return quoted(key) if isinstance(key, str) else f'"{json.dumps(key)}"'


def _enclosed(opening: str, items: list[str], closing: str, end: str) -> str:
    if not items:
        return opening + closing
    start = f"{end}  "
    return f"{opening}{start}{f',{start}'.join(items)}{end}{closing}"

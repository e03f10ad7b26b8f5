"""What of a document is larger or smaller than its schema allows.

Each render asks this about a document of clustergen's own. Its form needs no check, so this walks
only where a schema can limit a size. A validator, which checks everything, takes fifty times as
long.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Set
from typing import Any, Final, NamedTuple

from clustergen.base.artifacts import Json

Path = tuple[str | int, ...]


_LIMITS: Final = ("maxItems", "maxProperties", "maxLength", "maximum", "minimum")


class Excess(NamedTuple):
    """A value beyond a limit."""

    path: Path
    keyword: str
    """The violated keyword of JSON Schema, such as ``maxItems``."""
    wanted: float
    found: float
    """The size of the value, or the number itself."""


class Sizes:
    """The limits of one schema. ``left_open`` are values that are known only after deployment."""

    def __init__(self, schema: Json, left_open: Callable[[Any], bool]) -> None:
        self._definitions = _limiting(schema.get("$defs", {}))
        self._schema = _pruned(schema, self._definitions)
        self._left_open = left_open

    def exceeded(self, document: Mapping[str, Any]) -> list[Excess]:
        """The values of ``document`` beyond a limit, by path."""
        found = self._below(document, self._schema, ())
        return sorted(found, key=lambda e: ([str(step) for step in e.path], e.keyword))

    def _below(self, value: Any, schema: Json, path: Path) -> Iterator[Excess]:
        if self._left_open(value):
            return
        for part in self._parts(value, schema):
            yield from self._below(value, part, path)
        for keyword, size in _sizes(value):
            wanted = schema.get(keyword, size)
            if size < wanted if keyword == "minimum" else size > wanted:
                yield Excess(path, keyword, wanted, size)
        if isinstance(value, dict):
            yield from self._in_mapping(value, schema, path)
        elif isinstance(value, list) and "items" in schema:
            for index, item in enumerate(value):
                yield from self._below(item, schema["items"], (*path, index))

    def _parts(self, value: Any, schema: Json) -> Iterator[Json]:
        """The other schemas that ``value`` has to meet. A choice of several says no size."""
        if "$ref" in schema:
            yield self._definitions[_name(schema)]
        yield from schema.get("allOf", ())
        if "if" in schema and _has(value, schema["if"]):
            yield schema["then"]

    def _in_mapping(self, value: Json, schema: Json, path: Path) -> Iterator[Excess]:
        own = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        rest = schema.get("additionalProperties")
        for key, inner in value.items():
            if "propertyNames" in schema:
                yield from self._below(key, schema["propertyNames"], path)
            found = [own[key]] if key in own else []
            found += (patterns[each] for each in patterns if re.search(each, key))
            for each in filter(None, found or [rest]):
                yield from self._below(inner, each, (*path, key))


def _limiting(definitions: Mapping[str, Json]) -> Mapping[str, Json]:
    """The definitions that limit a size, or refer to one that does, without the rest of them."""
    names: Set[str] = frozenset()
    while True:
        found = {name: _pruned(each, names) for name, each in definitions.items()}
        limiting = {name: each for name, each in found.items() if _limits(each)}
        if limiting.keys() == names:
            return limiting
        names = limiting.keys()


def _pruned(schema: Any, limiting: Container[str]) -> Json:
    """What of ``schema`` can limit a size, with the names of all properties; empty if nothing."""
    if not isinstance(schema, dict):
        return {}
    kept = {keyword: schema[keyword] for keyword in _LIMITS if keyword in schema}
    if "$ref" in schema and _name(schema) in limiting:
        kept["$ref"] = schema["$ref"]
    for keyword in ("items", "additionalProperties", "propertyNames", "then"):
        if part := _pruned(schema.get(keyword), limiting):
            kept[keyword] = part
    if "then" in kept:
        kept["if"] = schema["if"]
    for keyword in ("properties", "patternProperties"):
        kept[keyword] = {k: _pruned(v, limiting) for k, v in schema.get(keyword, {}).items()}
    kept["allOf"] = [part for each in schema.get("allOf", ()) if (part := _pruned(each, limiting))]
    return kept if _limits(kept) else {}


def _limits(pruned: Json) -> bool:
    """Whether more is left of a schema than names."""
    names = ("properties", "patternProperties")
    rest = (value for keyword, value in pruned.items() if keyword not in names)
    return any(value != [] for value in rest) or any(
        any(pruned.get(name, {}).values()) for name in names
    )


def _name(schema: Json) -> str:
    """The name of the definition that a schema refers to."""
    name: str = schema["$ref"].removeprefix("#/$defs/")
    return name


def _has(value: Any, condition: Json) -> bool:
    """Whether a mapping has these keys and constants: the conditions that limit sizes."""
    if not isinstance(value, dict) or not set(condition.get("required", ())) <= set(value):
        return False
    wanted = condition.get("properties", {}).items()
    return all(value.get(key) in each.get("enum", [each.get("const")]) for key, each in wanted)


def _sizes(value: Any) -> Iterator[tuple[str, float]]:
    """The sizes of a value that a schema can limit, by keyword."""
    match value:
        case list():
            yield "maxItems", len(value)
        case dict():
            yield "maxProperties", len(value)
        case str():
            yield "maxLength", len(value)
        case int() | float() if not isinstance(value, bool):
            yield "maximum", value
            yield "minimum", value

"""Values of a kind that a service does not accept: the rest is imported without them."""

from collections.abc import Mapping
from typing import Any, Final

from clustergen.base.findings import Finding, Path
from clustergen.facts.schemas import Schema
from clustergen.importing.rules import losses
from clustergen.overlay.refusals import KIND_WORDS
from clustergen.spec.source.nodes import dotted

Json = dict[str, Any]
_LEFT_OUT: Final = object()


def fitting(document: Mapping[str, Any], schema: Schema) -> tuple[Json, list[Finding]]:
    """``document`` without values of a wrong kind, and a finding about each of them.

    The readers of formats, and the comparison, rely on lists being lists.
    """
    reader = _Reader(schema.document())
    found = reader.fitting(document, reader.root, ())
    return found if isinstance(found, dict) else {}, reader.findings


class _Reader:
    """Reads a document along a JSON schema."""

    def __init__(self, schema: Json) -> None:
        self.root = schema
        self.findings: list[Finding] = []

    def fitting(self, value: Any, schema: Json, path: Path) -> Any:
        schema = self._resolved(schema)
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(_is(value, kind) for kind in kinds):
            wanted = " or ".join(KIND_WORDS[kind] for kind in kinds)
            text = f"{dotted(path)} is left out: it is {_named(value)}, and has to be {wanted}"
            self.findings.append(losses.UNREADABLE.at(path, text, help=f"write {wanted}"))
            return _LEFT_OUT
        if isinstance(value, Mapping):
            known = schema.get("properties", {})
            inner = {
                key: self.fitting(each, known.get(key, {}), (*path, str(key)))
                for key, each in value.items()
            }
            return {key: each for key, each in inner.items() if each is not _LEFT_OUT}
        if isinstance(value, list):
            items = schema.get("items", {})
            each = (self.fitting(item, items, (*path, i)) for i, item in enumerate(value))
            return [item for item in each if item is not _LEFT_OUT]
        return value

    def _resolved(self, schema: Json) -> Json:
        while name := schema.get("$ref"):
            schema = self.root["$defs"][str(name).rpartition("/")[2]]
        return schema


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return isinstance(value, list)
        case "integer":
            whole = str(value).removeprefix("-").isdecimal()
            return whole and not isinstance(value, bool | Mapping | list)
    return value is not None and not isinstance(value, Mapping | list)


def _named(value: Any) -> str:
    if value is None:
        return "empty"
    kind = "object" if isinstance(value, Mapping) else "array" if isinstance(value, list) else ""
    return KIND_WORDS.get(kind, repr(value))

"""The JSON Schema of the language, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.catalog import names
from clustergen.spec.base import NODE_TYPE, SERVICE_NODE_TYPE
from clustergen.spec.model import Spec

FILE = "clustergen.schema.json"


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a spec."""
    made = Spec.model_json_schema(by_alias=True, mode="validation")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "clustergen spec, version 1",
    }
    types = {
        "description": "An EC2 instance type; `clustergen catalog` has the facts of each.",
        "enum": [*names()],
        "type": "string",
    }
    made["$defs"][_INSTANCE_TYPE] = types
    return {**head, **{k: _terse(v) for k, v in made.items() if k != "title"}}


_INSTANCE_TYPE = "InstanceType"
_REFERENCE = {"$ref": f"#/$defs/{_INSTANCE_TYPE}"}
_FORMATS: Mapping[str, dict[str, Any]] = {
    NODE_TYPE: _REFERENCE,
    SERVICE_NODE_TYPE: {"anyOf": [_REFERENCE, {"type": "string"}]},
}
"""The schema in place of a format; editors list the names once for all fields."""


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

"""The JSON Schema of the language, for editors."""

from __future__ import annotations

from typing import Any

from clustergen.spec.model import Spec

FILE = "clustergen.schema.json"


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a spec."""
    made = Spec.model_json_schema(by_alias=True, mode="validation")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "clustergen spec, version 1",
    }
    return {**head, **{k: _terse(v) for k, v in made.items() if k != "title"}}


def _terse(node: Any) -> Any:
    """``node`` without parts that editors do not need.

    This removes titles made of field names, and defaults of whole sections, which repeat.
    """
    if isinstance(node, list):
        return [_terse(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _terse(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and "$ref" in node)
    }

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
    return {**head, **{key: value for key, value in made.items() if key != "title"}}

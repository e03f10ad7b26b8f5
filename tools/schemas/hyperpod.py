"""The schema of a CreateCluster request, from botocore's model of SageMaker."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Mapping
from typing import Any

from tools.schemas.cloudformation import compiles
from tools.schemas.parallelcluster import exactly_one, map, never, present
from tools.schemas.shared import BOTOCORE, DIALECT, Json, installed


def hyperpod() -> Json:
    """The schema of a SageMaker CreateCluster request."""
    loader = importlib.import_module("botocore.loaders").Loader()
    model = loader.load_service_model("sagemaker", "service-2")
    definitions: dict[str, Json] = {}
    request = model["operations"]["CreateCluster"]["input"]["shape"]
    root = _shape(request, model["shapes"], definitions)
    version = model["metadata"]["apiVersion"]
    return {
        "$schema": DIALECT,
        "$comment": installed("botocore", BOTOCORE) + f" sagemaker {version}",
        **root,
        "$defs": definitions,
    }


def _shape(name: str, shapes: Mapping[str, Any], definitions: dict[str, Json]) -> Json:
    """The schema of a shape in a service model; structures become definitions."""
    shape = shapes[name]
    match shape["type"]:
        case "structure":
            if name not in definitions:
                definitions[name] = {}
                definitions[name] = _structure(name, shape, shapes, definitions)
            return {"$ref": f"#/$defs/{name}"}
        case "list":
            items = _shape(shape["member"]["shape"], shapes, definitions)
            return {"type": "array", "items": items, **_bounds(shape, "minItems", "maxItems")}
        case "map":
            return {
                "type": "object",
                "propertyNames": _shape(shape["key"]["shape"], shapes, definitions),
                "additionalProperties": _shape(shape["value"]["shape"], shapes, definitions),
                **_bounds(shape, "minProperties", "maxProperties"),
            }
        case kind:
            return _scalar(kind, shape)


def _structure(
    name: str, shape: Mapping[str, Any], shapes: Mapping[str, Any], definitions: dict[str, Json]
) -> Json:
    members = {
        key: _shape(member["shape"], shapes, definitions)
        for key, member in shape["members"].items()
    }
    one_of = tuple(members) if shape.get("union") else _ONE_OF.get(name, ())
    return {
        **map(members, shape.get("required", ())),
        **(exactly_one(*one_of) if one_of else {}),
        **never(_NOT_BOTH.get(name, ())),
    }


# Constraints that the model has only in the documentation of its members.
_ONE_OF = {
    "ClusterInstanceGroupSpecification": ("InstanceType", "InstanceRequirements"),
    "ClusterOrchestrator": ("Eks", "Slurm"),
}


_NOT_BOTH = {"ClusterLifeCycleConfig": [("OnCreate", "OnInitComplete")]}


def _scalar(kind: str, shape: Mapping[str, Any]) -> Json:
    if kind != "string":
        return {"type": _SCALARS[kind], **_bounds(shape, "minimum", "maximum")}
    pattern = shape.get("pattern")
    return {
        "type": "string",
        **({"enum": shape["enum"]} if "enum" in shape else {}),
        # A service's pattern is of the whole text, JSON Schema's is sought in it; and Python's $
        # stands before a last newline as well.
        **({"pattern": f"^(?:{pattern})$(?!\\n)"} if pattern and compiles(pattern) else {}),
        **_bounds(shape, "minLength", "maxLength"),
    }


_SCALARS = {
    "boolean": "boolean",
    "double": "number",
    "float": "number",
    "integer": "integer",
    "long": "integer",
    "timestamp": ["string", "number"],
}


def _bounds(shape: Mapping[str, Any], low: str, high: str) -> Json:
    return dict(present(**{low: shape.get("min"), high: shape.get("max")}))

"""From the properties of a CloudFormation resource to the parameters of an API request.

The two mostly differ in case (`ClusterId`, `clusterId`), in a few names and in how tags are
written. The target's service model says which member a property means; a property without a
member keeps its name, for the model to reject.
"""

import json
from collections.abc import Mapping
from typing import Any

from botocore.model import ListShape, MapShape, Shape, StructureShape

from tests.support import service_models

Renames = Mapping[str, str]


def to_parameters(
    service: str, operation: str, properties: Mapping[str, Any], renames: Renames
) -> dict[str, Any]:
    """`properties` in the words of `operation`.

    `renames` maps a property's dotted path, without list indexes, to the member's name.
    """
    shape = service_models.model(service).operation_model(operation).input_shape
    return dict(_converted(shape, properties, "", renames)) if shape is not None else {}


def _converted(shape: Shape | None, value: Any, path: str, renames: Renames) -> Any:
    if isinstance(shape, StructureShape) and isinstance(value, Mapping):
        return _structure(shape, value, path, renames)
    if isinstance(shape, ListShape) and isinstance(value, list):
        return [_converted(shape.member, item, path, renames) for item in value]
    if isinstance(shape, MapShape) and isinstance(value, Mapping):
        return {key: _converted(shape.value, item, path, renames) for key, item in value.items()}
    return _coerced(shape.type_name, value) if shape is not None else value


def _structure(
    shape: StructureShape, value: Mapping[str, Any], path: str, renames: Renames
) -> dict[str, Any]:
    converted = {}
    for key, item in value.items():
        inner = f"{path}.{key}" if path else key
        name = renames.get(inner) or _member(shape, key)
        converted[name] = _converted(shape.members.get(name), item, inner, renames)
    return converted


def _member(shape: StructureShape, key: str) -> str:
    """The member whose capitalised name is `key`; CloudFormation's names are always capitalised."""
    capitalised: dict[str, str] = {name[0].upper() + name[1:]: name for name in shape.members}
    return capitalised.get(key, key)


def _coerced(type_name: str, value: Any) -> Any:
    """CloudFormation turns one scalar into another where the property wants it."""
    if type_name == "string" and isinstance(value, Mapping):
        return json.dumps(value)  # a policy document
    if type_name == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if type_name in ("integer", "long") and isinstance(value, str) and value.isdecimal():
        return int(value)
    if type_name == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def tags_as_map(tags: Any) -> Any:
    """`[{Key, Value}]` as `{key: value}`, for the services whose API takes a map."""
    return {tag["Key"]: tag["Value"] for tag in tags} if isinstance(tags, list) else tags

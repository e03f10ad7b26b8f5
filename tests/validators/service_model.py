"""AWS's own service models as a validator of request parameters.

botocore's validator checks types, required members and minima only. Here every constraint of a
model counts: unknown members, enumerations, minima and maxima, patterns over the whole value, and
exactly one member of a union.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import regex
from botocore.model import ListShape, MapShape, Shape, StructureShape

from tests.support import service_models

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "structure": (Mapping,),
    "list": (list, tuple),
    "map": (Mapping,),
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "boolean": (bool,),
    "blob": (str, bytes),
    "timestamp": (str, int, float),
}


def validate(service: str, operation: str, params: Mapping[str, Any]) -> list[str]:
    """Every violation as `path: message`, in the order of `params`; empty when the API parses it.

    `service` and `operation` are botocore's names: `validate("pcs", "CreateQueue", {...})`.
    """
    shape = service_models.model(service).operation_model(operation).input_shape
    return list(_violations(shape, params, "")) if shape is not None else []


def validate_shape(service: str, shape_name: str, value: object) -> list[str]:
    """The same for one shape of a service, such as `RequestLaunchTemplateData` of `ec2`."""
    return list(_violations(service_models.model(service).shape_for(shape_name), value, ""))


def _violations(shape: Shape, value: object, path: str) -> Iterator[str]:
    expected = _PYTHON_TYPES.get(shape.type_name, (object,))
    is_number = bool not in expected and isinstance(value, bool)
    document = isinstance(shape, StructureShape) and shape.is_document_type
    if document:
        return
    if not isinstance(value, expected) or is_number:
        yield _at(path, f"{shape.type_name} expected, not {type(value).__name__} {value!r}")
    elif isinstance(shape, StructureShape):
        yield from _structure(shape, _mapping(value), path)
    elif isinstance(shape, ListShape):
        yield from _list(shape, value, path)
    elif isinstance(shape, MapShape):
        yield from _map(shape, _mapping(value), path)
    else:
        yield from _scalar(shape, value, path)


def _mapping(value: object) -> Mapping[str, Any]:
    assert isinstance(value, Mapping)
    return value


def _structure(shape: StructureShape, value: Mapping[str, Any], path: str) -> Iterator[str]:
    members = shape.members
    for name in shape.required_members:
        if name not in value:
            yield _at(path, f"required member {name} is missing")
    if shape.is_tagged_union and len(value) != 1:
        yield _at(path, f"exactly one of {', '.join(members)} expected, not {sorted(value)}")
    for name, item in value.items():
        if name in members:
            yield from _violations(members[name], item, f"{path}.{name}" if path else name)
        else:
            yield _at(path, f"unknown member {name} (known: {', '.join(members)})")


def _list(shape: ListShape, value: Any, path: str) -> Iterator[str]:
    yield from _range(shape, len(value), "items", path)
    for index, item in enumerate(value):
        yield from _violations(shape.member, item, f"{path}[{index}]")


def _map(shape: MapShape, value: Mapping[str, Any], path: str) -> Iterator[str]:
    yield from _range(shape, len(value), "entries", path)
    for key, item in value.items():
        yield from _violations(shape.key, key, f"{path}[{key!r} (key)]")
        yield from _violations(shape.value, item, f"{path}[{key!r}]")


def _scalar(shape: Shape, value: Any, path: str) -> Iterator[str]:
    metadata = shape.metadata
    if shape.type_name == "blob":
        yield from _blob(shape, value, path)
    elif isinstance(value, str):
        yield from _range(shape, len(value), "characters", path)
        pattern = metadata.get("pattern")
        if pattern and not compiled(pattern).fullmatch(value):
            yield _at(path, f"{value!r} does not match {pattern}")
    elif not isinstance(value, bool):
        yield from _range(shape, value, "", path)
    if metadata.get("enum") and value not in metadata["enum"]:
        yield _at(path, f"{value!r} is not one of {', '.join(metadata['enum'])}")


def _blob(shape: Shape, value: str | bytes, path: str) -> Iterator[str]:
    """A blob is written as base64 text in JSON; its limits are on the decoded bytes."""
    try:
        data = base64.b64decode(value, validate=True) if isinstance(value, str) else value
    except binascii.Error:
        yield _at(path, "base64 expected")
    else:
        yield from _range(shape, len(data), "bytes", path)


def _range(shape: Shape, size: float, unit: str, path: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    measured = f"{size} {unit}".strip()
    if low is not None and size < low:
        yield _at(path, f"{measured}, the minimum is {low}")
    if high is not None and size > high:
        yield _at(path, f"{measured}, the maximum is {high}")


def _at(path: str, message: str) -> str:
    return f"{path or '(request)'}: {message}"


@cache
def compiled(pattern: str) -> regex.Pattern[str]:
    """A model's pattern; they are written for Java's engine, which spells some things apart."""
    text = pattern
    for java, here in _JAVA_SPELLINGS:
        text = java.sub(here, text)
    return regex.compile(text)


_JAVA_SPELLINGS = (
    # The characters beyond the Basic Multilingual Plane, as surrogate pairs.
    (regex.compile(r"\\uD800\\uDC00-\\uDBFF\\uDFFF"), r"\\U00010000-\\U0010FFFF"),
    # A hyphen after a class shorthand is a plain hyphen: `[\w-_]`, `[\w-\/]`.
    (regex.compile(r"(\\[wds])-(?=[^\]])"), r"\1\\-"),
    # A repeated end of text, as in SageMaker's `(...)*${1,128}`, is just the end of text.
    (regex.compile(r"\$\{\d+,\d+\}$"), "$"),
)

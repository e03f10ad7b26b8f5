"""What the definitions of custom resources say of objects; unknown fields are violations.

``custom_resources.json`` has the definitions, and ``tools/tests/custom_resources.py`` makes it.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema

from clustergen.base.text_lists import word_set

Json = Mapping[str, Any]

_FILE = Path(__file__).with_name("custom_resources.json")
# Users set these: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
_METADATA = word_set("annotations finalizers generateName labels name namespace")


def violations(body: Json) -> Iterator[str]:
    """What the definition of an object's kind does not accept; nothing without a definition."""
    key = f"{body.get('apiVersion')}/{body.get('kind')}"
    validator = _validators().get(key)
    if validator is None:
        group = str(body.get("apiVersion")).partition("/")[0]
        if any(
            known.startswith(f"{group}/") and known.endswith(f"/{body.get('kind')}")
            for known in _validators()
        ):
            yield f"{body.get('kind')} has no version {body.get('apiVersion')}"
        return
    unknown = body.get("metadata", {}).keys() - _METADATA
    yield from (f"metadata.{name}: there is no such field" for name in sorted(unknown))
    own = {k: v for k, v in body.items() if k not in ("apiVersion", "kind", "metadata")}
    for error in validator.iter_errors(own):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"


@functools.cache
def kinds() -> Mapping[str, Json]:
    """The schema of each kind, by ``apiVersion/kind``, without references."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    return {key: _whole(each["schema"], data["$defs"]) for key, each in data["kinds"].items()}


@functools.cache
def _validators() -> Mapping[str, Any]:
    return {key: jsonschema.Draft202012Validator(_closed(s)) for key, s in kinds().items()}


def clear() -> None:
    """Read the file again."""
    kinds.cache_clear()
    _validators.cache_clear()


def _whole(schema: Json, shared: Json) -> Json:
    if "$ref" in schema:
        return _whole(shared[schema["$ref"].rpartition("/")[2]], shared)
    whole = {**schema}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            whole[key] = _whole(schema[key], shared)
    if "properties" in schema:
        whole["properties"] = {k: _whole(v, shared) for k, v in schema["properties"].items()}
    return whole


def _closed(schema: Json) -> Json:
    """The schema without fields that it does not name, which the API server drops."""
    closed = {**schema}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            closed[key] = _closed(schema[key])
    closed["properties"] = {k: _closed(v) for k, v in schema.get("properties", {}).items()}
    if schema.get("type") == "object" and not schema.get("x-kubernetes-preserve-unknown-fields"):
        closed.setdefault("additionalProperties", False)
    return closed

"""Reads ``bundle.json``, and says what is wrong with one."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustergen.base.artifacts import Json, json_text
from clustergen.deployment.model import FORMAT, PATH, Bundle

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class BadBundle(ValueError):
    """A folder without a ``bundle.json`` that this version reads; the message says what to do."""


def read(folder: Path) -> Bundle:
    """What the bundle in ``folder`` deploys.

    :raises BadBundle: if that is not known.
    """
    from pydantic import ValidationError

    path = folder / PATH
    try:
        return _adapter().validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise BadBundle(f"{path}: {error.strerror}; render the spec again") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise BadBundle(
            f"{path}: {place}: {first['msg']}; this version reads format {FORMAT}: render the spec "
            "again, or install the version that wrote it"
        ) from None


def schema() -> str:
    """The JSON Schema of the file."""
    made: Json = _adapter().json_schema()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": PATH}
    return json_text({**head, **_untitled(made)}) + "\n"


def _untitled(value: Any) -> Any:
    """Without titles, which repeat the names."""
    if isinstance(value, list):
        return [_untitled(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {k: v for k, v in value.items() if k != "title" or not isinstance(v, str)}
    return {key: _untitled(each) for key, each in kept.items()}


@functools.cache
def _adapter() -> TypeAdapter[Bundle]:
    from pydantic import TypeAdapter

    return TypeAdapter(Bundle)

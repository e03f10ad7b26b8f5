"""Reads ``bundle.json``, and says what is wrong with one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from clustergen.base.artifacts import Json, json_text
from clustergen.deployment.kinds import Services
from clustergen.deployment.model import FORMAT, PATH, Bundle

if TYPE_CHECKING:
    from pydantic import TypeAdapter


_SERVICES: Final = tuple(each.__name__ for each in get_args(Services))


class BadBundle(ValueError):
    """A folder without a ``bundle.json`` that this version reads; the message says what to do."""


def read(folder: Path) -> Bundle:
    """What the bundle in ``folder`` deploys; raises BadBundle if that is not known."""
    path = folder / PATH
    try:
        return parsed(path.read_bytes(), path)
    except OSError as error:
        raise BadBundle(f"{path}: {error.strerror}; render the spec again") from None


def parsed(text: str | bytes, path: Path = Path(PATH)) -> Bundle:
    """What the text of a ``bundle.json`` says; raises BadBundle if it is none."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_json(text, strict=True)
    except ValidationError as error:
        first = _first(error.errors())
        # The name of a class is no member of the file.
        steps = [str(step) for step in first["loc"] if step not in _SERVICES]
        place = ".".join(steps) or "the file"
        what = "no such service" if steps[-1:] == ["kind"] else first["msg"]
        raise BadBundle(
            f"{path}: {place}: {what}; this version reads format {FORMAT}: render the spec "
            "again, or install the version that wrote it"
        ) from None


def _first(errors: Sequence[Any]) -> Any:
    """The first error that is not about another kind of service than the file says."""
    others = {each["loc"][:2] for each in errors if each["loc"][-1:] == ("kind",)}
    return next((each for each in errors if each["loc"][:2] not in others), errors[0])


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

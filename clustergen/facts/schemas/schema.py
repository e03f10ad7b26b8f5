"""A schema and what of a document breaks it."""

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.facts.schemas.sizes import Excess, Sizes


class Violation(NamedTuple):
    """One thing of a document that the schema rejects."""

    path: tuple[str | int, ...]
    keyword: str
    """The violated keyword of JSON Schema: ``type``, ``enum``, ``required``, ..."""
    wanted: Any
    """The value of that keyword in the schema."""
    found: Any
    """The part of the document at ``path``."""
    schema: Json
    """The part of the schema with the keyword."""
    message: str
    """The message of the validator."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of one target's document. The validator is imported at the first question."""

    file: str
    """File name in this folder, or a path."""
    cloudformation: bool
    """Values may be intrinsic functions, and texts may be written as numbers."""
    list_keys: tuple[str, ...]
    """Keys that name items of the document's lists, for :func:`clustergen.overlay.apply`."""
    quoted: bool = True
    """Numbers and booleans may be written as text."""

    @property
    def path(self) -> Path:
        """The JSON Schema's file."""
        return Path(__file__).parent / self.file

    def document(self) -> Json:
        return _read(self.path)

    def violations(self, document: Mapping[str, Any]) -> list[Violation]:
        """What of ``document`` the schema rejects, by path.

        A value that is known only after deployment is not looked into: an intrinsic function, or
        a text with a ``${Name}`` placeholder.
        """
        validate = _validator(self.path, self.cloudformation, self.quoted)
        found = [_violation(error) for error in validate(document)]
        return sorted(found, key=lambda v: ([str(step) for step in v.path], v.keyword, v.message))

    def exceeded(self, document: Mapping[str, Any]) -> list[Excess]:
        """What of ``document`` is larger or smaller than the schema allows, by path."""
        return _sizes(self.path, self.cloudformation).exceeded(document)


Errors = Callable[[Mapping[str, Any]], Iterator[Any]]
_PLACEHOLDER = pattern(r"\$\{\w+\}")


@functools.cache
def _read(path: Path) -> Json:
    schema: Json = json.loads(path.read_text(encoding="utf-8"))
    return schema


@functools.cache
def _sizes(path: Path, cloudformation: bool) -> Sizes:
    return Sizes(_read(path), _left_open(cloudformation))


@functools.cache
def _validator(path: Path, cloudformation: bool, quoted: bool) -> Errors:
    from jsonschema import Draft202012Validator, validators

    left_open = _left_open(cloudformation)
    words = {
        word: _unless(left_open, check) for word, check in Draft202012Validator.VALIDATORS.items()
    }
    words["allOf"] = _of_its_type(words["allOf"])
    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        ({"integer": _is_integer, "number": _is_number, "boolean": _is_boolean} if quoted else {})
        | ({"string": _is_text} if cloudformation else {})
    )
    kind: Any = validators.create(
        Draft202012Validator.META_SCHEMA, words, type_checker=types, id_of=lambda _: ""
    )
    errors: Errors = kind(_read(path)).iter_errors
    return errors


def _left_open(cloudformation: bool) -> Callable[[Any], bool]:
    return _is_intrinsic if cloudformation else _has_placeholder


def _unless(left_open: Callable[[Any], bool], check: Callable[..., Any]) -> Callable[..., Any]:
    """``check``, but for values that are known only after deployment."""

    def guarded(validator: Any, wanted: Any, found: Any, schema: Any) -> Iterator[Any]:
        if not left_open(found):
            # Only real text has a length and a pattern, though numbers may pass for text.
            text_only = check.__name__ in ("pattern", "minLength", "maxLength")
            if isinstance(found, str) and check.__name__ in ("minimum", "maximum"):
                found = float(found) if _is_number(None, found) else wanted
            if isinstance(found, str) or not text_only:
                yield from check(validator, wanted, found, schema) or ()

    return guarded


def _of_its_type(check: Callable[..., Any]) -> Callable[..., Any]:
    """``allOf`` without the other types of resources: asking for each takes most of the time."""

    def guarded(validator: Any, wanted: Any, found: Any, schema: Any) -> Iterator[Any]:
        if isinstance(found, Mapping):
            wanted = [part for part in wanted if _type_of(part) in (None, found.get("Type"))]
        yield from check(validator, wanted, found, schema)

    return guarded


def _type_of(part: Json) -> Any:
    return part.get("if", {}).get("properties", {}).get("Type", {}).get("const")


def _has_placeholder(value: Any) -> bool:
    return isinstance(value, str) and _PLACEHOLDER.search(value) is not None


def _is_intrinsic(value: Any) -> bool:
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    key = str(next(iter(value)))
    return key == "Ref" or key.startswith("Fn::")


# Both services read the words and digits that an all-text format must use for these types.
def _is_integer(_checker: Any, value: Any) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"-?[0-9]+", value) is not None
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_checker: Any, value: Any) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_boolean(_checker: Any, value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value in ("true", "false"))


def _is_text(_checker: Any, value: Any) -> bool:
    return isinstance(value, str | int | float)


def _violation(error: Any) -> Violation:
    return Violation(
        path=tuple(error.absolute_path),
        keyword=error.validator,
        wanted=error.validator_value,
        found=error.instance,
        schema=error.schema,
        message=error.message,
    )

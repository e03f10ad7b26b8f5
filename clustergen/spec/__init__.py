"""The language: what a user may write, and what is said of what does not fit."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from clustergen.findings import Finding, Path
from clustergen.source import Document
from clustergen.spec import form
from clustergen.spec.model import Spec

__all__ = ["Spec", "parse"]


def parse(document: Document) -> tuple[Spec | None, list[Finding]]:
    """The spec in ``document``; or what is wrong with its form, all of it."""
    try:
        return Spec.model_validate(document.data), []
    except ValidationError as error:
        return None, _merged(_finding(e, document.data) for e in error.errors(include_url=False))


def _merged(findings: Iterator[Finding]) -> list[Finding]:
    """One finding a place: a union reports once for each of its members."""
    first: dict[tuple[Path, bool], Finding] = {}
    for finding in findings:
        first.setdefault((finding.path, finding.on_key), finding)
    return list(first.values())


def _finding(error: Any, data: Any) -> Finding:
    path = _written(tuple(error["loc"]), data, keep_last=error["type"] == "extra_forbidden")
    context = error.get("ctx") or {}
    match error["type"]:
        case "extra_forbidden":
            return _unknown_key(path)
        case "missing":
            return form.MISSING.at(
                path[:-1], f"`{path[-1]}` is missing", help=f"add `{path[-1]}: {_hint(path)}`"
            )
        case "clustergen":
            return form.VALUE.at(path, context["message"], help=context["help"])
        case "literal_error" | "enum":
            return _not_an_option(path, error["input"], context["expected"])
        case "string_pattern_mismatch":
            return form.VALUE.at(
                path,
                f"{error['input']!r} is not valid here",
                help=f"it must match {context['pattern']}",
            )
        case kind if kind.endswith("_type") or kind in _TYPES:
            return form.TYPE.at(path, f"{_kind(error['input'])} where {_due(kind)} is due")
        case _:
            return form.VALUE.at(path, _sentence(error["msg"]))


def _written(loc: tuple[str | int, ...], data: Any, *, keep_last: bool) -> Path:
    """The part of pydantic's location that is in the text: tags of unions are left out."""
    path: list[str | int] = []
    for position, step in enumerate(loc):
        inside = isinstance(data, dict) and step in data
        item = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if inside or item:
            data = data[step]
            path.append(step)
        elif position == len(loc) - 1 and isinstance(data, dict) and isinstance(step, str):
            if keep_last or step not in _TAGS:
                path.append(step)
    return tuple(path)


_TYPES = {"int_from_float", "int_parsing", "bool_parsing", "float_parsing", "none_required"}
_TAGS = {"function-before", "function-after", "literal", "int", "str", "bool", "constrained-str"}
_DUE = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _due(kind: str) -> str:
    return _DUE.get(kind, kind.removesuffix("_type").replace("_", " "))


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"the text {value!r}" if isinstance(value, str) else f"the number {value}"


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:]


def _not_an_option(path: Path, value: object, expected: str) -> Finding:
    options = [option.strip().strip("'") for option in expected.replace(" or ", ", ").split(",")]
    near = difflib.get_close_matches(str(value), options, n=1)
    help = f"did you mean {near[0]}?" if near else f"one of {', '.join(options)}"
    return form.OPTION.at(path, f"{value!r} is not one of {', '.join(options)}", help=help)


def _unknown_key(path: Path) -> Finding:
    section = _section(path[:-1])
    known = sorted(_keys(section)) if section else []
    near = difflib.get_close_matches(str(path[-1]), known, n=1, cutoff=0.5)
    help = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(known)}"
    return form.UNKNOWN_KEY.at(
        path, f"unknown key `{path[-1]}`", help=help if known else "", on_key=True
    )


def _hint(path: Path) -> str:
    section = _section(path[:-1])
    field = section.model_fields.get(str(path[-1])) if section else None
    return "..." if field is None else f"...` ({field.description})".removesuffix("`")


def _keys(section: type[BaseModel]) -> Iterator[str]:
    for name, field in section.model_fields.items():
        yield field.alias or name


def _section(path: Sequence[str | int]) -> type[BaseModel] | None:
    """The model that describes ``path``: the first one found among the forms a field may take."""
    here: list[type[BaseModel]] = [Spec]
    for step in path:
        if isinstance(step, int):
            continue
        fields = (f for m in here for n, f in m.model_fields.items() if (f.alias or n) == step)
        here = [model for field in fields for model in _models(field.annotation)]
    return here[0] if here else None


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)

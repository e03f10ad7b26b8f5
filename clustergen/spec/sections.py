"""The section of the language that describes a place in a spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from clustergen.findings import Path
from clustergen.spec.model import Spec

# The key whose value users often write instead of the section.
_MAIN = ("id", "instance_type", "size", "zone", "run", "mount", "group", "os", "source")


def keys(path: Path, data: Any) -> list[str]:
    """The keys that the mapping at ``path`` of ``data`` may have; empty if all are allowed."""
    section = _section(path, data)
    return sorted(_names(section)) if section else []


def main_key(path: Path, data: Any) -> str | None:
    """The key of the section at ``path`` for which a single text was probably meant."""
    section = _section(path, data)
    return next((name for name in _names(section) if name in _MAIN), None) if section else None


def types(path: Path, data: Any) -> list[str]:
    """The allowed values of ``type`` in the section at ``path``."""
    return [str(tag) for model in _candidates(path, data) if (tag := _tag(model)) is not None]


def description(path: Path, data: Any) -> str:
    """The description of the field at ``path``."""
    section = _section(path[:-1], data)
    fields = section.model_fields.items() if section else ()
    found = (field.description for name, field in fields if (field.alias or name) == path[-1])
    return next(found, None) or ""


def owner(key: str, path: Path, data: Any) -> str:
    """The one section of that at ``path`` that has ``key``; empty if there is none, or several."""
    section = _section(path, data)
    found = [
        field.alias or name
        for name, field in (section.model_fields.items() if section else ())
        for model in _models(field.annotation)
        if get_origin(field.annotation) is not list and key in _names(model)
    ]
    return found[0] if len(set(found)) == 1 else ""


def _names(section: type[BaseModel]) -> Iterator[str]:
    return (field.alias or name for name, field in section.model_fields.items())


def _section(path: Path, data: Any) -> type[BaseModel] | None:
    """The section at ``path``; if there are several, the one with the written ``type``."""
    return next(iter(_candidates(path, data)), None)


def _candidates(path: Path, data: Any) -> list[type[BaseModel]]:
    here: list[type[BaseModel]] = [Spec]
    for step in path:
        data = _inside(data, step)
        if isinstance(step, str):
            fields = (f for m in here for n, f in m.model_fields.items() if (f.alias or n) == step)
            here = [model for field in fields for model in _models(field.annotation)]
        here = _of_type(here, data)
    return here


def _inside(data: Any, step: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    fits = isinstance(data, list) and isinstance(step, int) and step < len(data)
    return data[step] if fits else None


def _of_type(models: list[type[BaseModel]], data: Any) -> list[type[BaseModel]]:
    written = data.get("type") if isinstance(data, dict) else None
    tagged = [model for model in models if written is not None and _tag(model) == written]
    return tagged or models


def _tag(model: type[BaseModel]) -> object:
    field = model.model_fields.get("type")
    options = get_args(field.annotation) if field else ()
    return options[0] if len(options) == 1 else None


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)

"""The models of the sections that targets declare, and of a spec with them."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import Field, create_model, model_validator

from clustergen import targets as known
from clustergen.spec import base, nodes
from clustergen.spec.base import Section
from clustergen.spec.model import Spec, Target, Targets
from tools.spec import instead as alternatives

M = TypeVar("M", bound=Section)


@functools.cache
def language() -> type[Spec]:
    """A spec, with the sections of all targets."""
    every = _with_fields(Targets, dict(_sections()))
    described = Field(every.absent(), description=Spec.model_fields["targets"].description)
    return _with_fields(Spec, {"targets": (every, described)})


def _with_fields(model: type[M], fields: dict[str, Any]) -> type[M]:
    return create_model(
        model.__name__, __base__=model, __doc__=model.__doc__, __module__=model.__module__, **fields
    )


def _sections() -> Iterator[tuple[str, Any]]:
    """The fields of `targets`."""
    for target, (name, section) in zip(_registered(), targets().items(), strict=True):
        key = target.traits.section
        alias = None if key == name else key
        yield name, (section | None, Field(None, alias=alias, description=f"{target.title}."))


@functools.cache
def targets() -> Mapping[str, type[Target]]:
    """The models of the targets' sections, by the name of their field."""
    return {
        target.traits.section.replace("-", "_"): model(target.traits.options, Target)
        for target in _registered()
    }


def instead() -> dict[str, Any]:
    """What to write in place of options and additions of other targets."""
    tables = {"options": alternatives.OPTIONS, "additions": alternatives.ADDITIONS}
    return {kind: alternatives.by_target(table) for kind, table in tables.items()}


def _registered() -> list[Any]:
    """The targets, in their order in the language."""
    return [known.load(name) for name in known.NAMES]


@functools.cache
def model(kind: type[Any], over: type[Section] = Section) -> type[Any]:
    """The model of a section that is declared as a dataclass.

    Of a class, ``SECTION`` is the name of the section if it is not that of the class, ``EXTENDS``
    a section of node settings that it takes in, and ``CHECK`` a validator of the whole section.
    """
    hints = get_type_hints(kind, localns=vars(base), include_extras=True)
    fields: dict[str, Any] = {
        field.name: (_annotation(hints[field.name]), _described(field.metadata))
        for field in dataclasses.fields(kind)
    }
    name, check = getattr(kind, "SECTION", kind.__name__), getattr(kind, "CHECK", None)
    checks: dict[str, Any] = {"check": model_validator(mode="after")(check)} if check else {}
    made = create_model(
        name,
        __base__=over,
        __doc__=kind.__doc__,
        __module__=kind.__module__,
        __validators__=checks,
        **fields,
    )
    extended = getattr(kind, "EXTENDS", "")
    if not extended:
        return made
    bases = (getattr(nodes, extended), made)
    return create_model(name, __base__=bases, __doc__=kind.__doc__, __module__=kind.__module__)


def _described(metadata: Mapping[str, Any]) -> Any:
    default, limits = metadata["default"], metadata["limits"]
    if isinstance(default, type):
        default = model(default).absent()
    return Field(default, description=metadata["description"], **limits)


def _annotation(hint: Any) -> Any:
    """The type as YAML has it: lists for tuples, and models for dataclasses."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return Annotated[(_annotation(inner[0]), *inner[1:])]
    if origin in (Union, types.UnionType):
        return Union[tuple(map(_annotation, inner))]  # noqa: UP007 made of a tuple
    if origin is tuple:
        return list[_annotation(inner[0])]  # type: ignore[misc]
    if origin is Mapping:
        return dict[tuple(map(_annotation, inner))]  # type: ignore[misc]
    is_section = isinstance(hint, type) and dataclasses.is_dataclass(hint)
    return model(hint) if is_section else hint

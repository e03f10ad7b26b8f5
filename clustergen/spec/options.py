"""How a target declares its section of the language.

A target declares the section ``targets.<name>`` once: as a frozen dataclass, whose fields are the
options that its emitter reads. :func:`option` adds what a type cannot say: the default, a
description, limits. Annotations may use all types of :mod:`clustergen.spec.base`.

Targets are above the language, which must not import them, and nothing that a command loads may
need pydantic's models. So a declaration is plain data, without pydantic, and the language learns of
it only when it is compiled: :mod:`tools.spec.build`, which no command runs, loads the targets
by name and makes the models of their sections. Specs are read with the compiled schema, and
:func:`read` makes the options from a section that it accepts.
"""

import dataclasses
from typing import Any, TypeVar

T = TypeVar("T")


def option(default: Any, description: str, of: type[Any] | None = None, **limits: Any) -> Any:
    """A key of a section.

    ``default`` is the value if the spec has none: ``...`` if it must have one, or the class of a
    section, which is then read as if it were empty. ``of`` is the class of a section, or of those
    in a list. ``limits`` are those of pydantic's Field, such as ``ge``.
    """
    if isinstance(default, type):
        of = default
    return dataclasses.field(
        metadata={"default": default, "description": description, "of": of, "limits": limits}
    )


def read(kind: type[T], section: Any) -> T:
    """A section of a parsed spec as the dataclass that declares it."""
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    return kind(**{field.name: _value(field, getattr(section, field.name)) for field in fields})


def _value(field: dataclasses.Field[Any], given: Any) -> Any:
    kind = field.metadata["of"]
    if isinstance(given, list):
        return tuple(read(kind, item) if kind else item for item in given)
    return read(kind, given) if kind and given is not None else given

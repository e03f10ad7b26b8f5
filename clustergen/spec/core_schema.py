"""Reading a spec without loading pydantic's models.

Importing pydantic's models and building the validators of some forty sections takes longer than the
rest of a check. The result is data: the core schema for pydantic_core, which ``core_schema.json``
contains. The models remain the only definition of the language: ``python -m tools.spec.build``
writes the file from them, ``--check`` tests whether it is up to date. The file is in the
repository, so that a checkout needs no build and reviews show changes of the language.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaValidator

from clustergen.spec import validators

if TYPE_CHECKING:
    from clustergen.spec.model import Spec, Target

FILE = Path(__file__).with_name("core_schema.json")
FUNCTION, DEFAULTS, SECTION = "$function", "$defaults", "$section"


class Section:
    """A parsed section, with the attributes of its model."""

    __slots__ = (
        "__dict__",
        "__pydantic_extra__",
        "__pydantic_fields_set__",
        "__pydantic_private__",
    )

    __pydantic_extra__: None
    __pydantic_fields_set__: set[str]
    __pydantic_private__: None

    def __repr__(self) -> str:
        return f"Section({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Section) and vars(self) == vars(other)

    def __hash__(self) -> int:
        """pydantic_core copies defaults without a hash; sections never change, so specs can share
        them."""
        return hash(Section)


def read(data: Any) -> Spec:
    """The spec in ``data``; raises pydantic_core.ValidationError."""
    spec: Spec = _validator().validate_python(data)
    return spec


def target_defaults(section: str) -> Target:
    defaults: Target = _resolved(_file()["targets"][section])
    return defaults


def target_fields() -> Mapping[str, frozenset[str]]:
    """The fields of each target's section, by section name."""
    sections = _file()["targets"]
    return {
        name.replace("_", "-"): frozenset(section[DEFAULTS]) for name, section in sections.items()
    }


def named_targets(spec: Spec) -> tuple[str, ...]:
    """The CLI names of the targets in the spec, in the order of the language."""
    written = spec.targets.__pydantic_fields_set__
    return tuple(name.replace("_", "-") for name in vars(spec.targets) if name in written)


@functools.cache
def _file() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@functools.cache
def _validator() -> SchemaValidator:
    return SchemaValidator(_resolved(_file()["schema"]))


def _resolved(node: Any) -> Any:
    """``node`` with its markers replaced by functions and models."""
    if isinstance(node, list):
        return [_resolved(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    if FUNCTION in node:
        return getattr(validators, node[FUNCTION])
    if SECTION in node:
        # Error messages contain the class name.
        return type(node[SECTION], (Section,), {"__slots__": ()})
    if DEFAULTS in node:
        return _section({key: _resolved(value) for key, value in node[DEFAULTS].items()})
    return {key: _resolved(value) for key, value in node.items()}


def _section(values: dict[str, Any]) -> Section:
    section = Section()
    section.__dict__ = values
    section.__pydantic_fields_set__ = set()
    section.__pydantic_extra__ = section.__pydantic_private__ = None
    return section

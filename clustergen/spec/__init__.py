"""The language: what a user may write, and the findings on what does not fit.

The pydantic models of :mod:`clustergen.spec.model` define it. Specs are read with their stored core
schema; the models are loaded only to explain errors and to write the JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError

from clustergen.findings import Finding, Path
from clustergen.source import Document
from clustergen.spec import core_schema
from clustergen.spec.core_schema import named_targets, target_defaults, target_fields

if TYPE_CHECKING:
    from clustergen.spec.model import Spec
    from clustergen.spec.partial import Remainder

__all__ = ["named_targets", "parse", "remainders", "target_defaults", "target_fields"]


def parse(document: Document) -> tuple[Spec | None, list[Finding]]:
    """The spec in ``document``; or what is wrong with its form, all of it."""
    try:
        return core_schema.read(document.data), []
    except ValidationError as error:
        from clustergen.spec import errors  # with pydantic's models, which tell what is expected

        return None, errors.findings(error, document.data)


def remainders(data: Any, bad: Iterable[Path]) -> list[Remainder]:
    """What can be checked of ``data`` apart from the places ``bad``: up to two versions of it."""
    from clustergen.spec import partial  # with pydantic's models

    return partial.remainders(data, bad)

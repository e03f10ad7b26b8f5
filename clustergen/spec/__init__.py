"""The spec language, and findings about invalid specs.

The pydantic models of :mod:`clustergen.spec.model` define it. Specs are read with the stored core
schema of the models, which are loaded only to explain errors and to write the JSON Schema.
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
    """The spec in ``document``, or all findings about its form."""
    try:
        return core_schema.read(document.data), []
    except ValidationError as error:
        from clustergen.spec import (
            errors,
        )  # loads pydantic's models, which describe what is expected

        return None, errors.findings(error, document.data)


def remainders(data: Any, bad: Iterable[Path]) -> list[Remainder]:
    """At most two versions of ``data`` that can be checked despite errors at the places ``bad``."""
    from clustergen.spec import partial  # loads pydantic's models

    return partial.remainders(data, bad)

"""The spec language, and findings about invalid specs.

The pydantic models of :mod:`clustergen.spec.model` define it. Specs are read with the stored core
schema of the models, and errors explained with the stored JSON Schema. Only
:mod:`tools.spec.build`, which writes both, loads the models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError

from clustergen.base.findings import Finding, Path
from clustergen.spec import core_schema
from clustergen.spec.core_schema import named_targets, target_defaults, target_fields
from clustergen.spec.source import Document

if TYPE_CHECKING:
    from clustergen.spec.model import Spec
    from clustergen.spec.partial import Remainder
else:
    Spec = core_schema.Section  # what a parsed spec is at run time

__all__ = ["Spec", "named_targets", "parse", "remainders", "target_defaults", "target_fields"]


def parse(document: Document) -> tuple[Spec | None, list[Finding]]:
    """The spec in ``document``, or all findings about its form."""
    try:
        return core_schema.read(document.data), []
    except ValidationError as error:
        from clustergen.spec import errors  # only invalid specs need it

        return None, errors.findings(error, document.data)


def remainders(data: Any, bad: Iterable[Path]) -> list[Remainder]:
    """At most two versions of ``data`` that can be checked despite errors at the places ``bad``."""
    from clustergen.spec import partial  # only invalid specs need it

    return partial.remainders(data, bad)

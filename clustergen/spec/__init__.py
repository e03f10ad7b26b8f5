"""The language: what a user may write, and what is said of what does not fit."""

from __future__ import annotations

from pydantic import ValidationError

from clustergen.findings import Finding
from clustergen.source import Document
from clustergen.spec import refusals
from clustergen.spec.model import Spec
from clustergen.spec.remainder import Remainder, remainder

__all__ = ["Remainder", "Spec", "parse", "remainder"]


def parse(document: Document) -> tuple[Spec | None, list[Finding]]:
    """The spec in ``document``; or what is wrong with its form, all of it."""
    try:
        return Spec.model_validate(document.data), []
    except ValidationError as error:
        return None, refusals.findings(error, document.data)

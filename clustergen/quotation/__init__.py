"""The cost of a spec on each of its targets, as text, JSON or Markdown.

Every format is a module with the same function, ``render(quotations, hours)``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from clustergen.quotation.model import Quotation, quote

FORMATS: Final = ("text", "json", "markdown")
"""Names of modules with ``render(quotations, hours)``."""


def render(format: str, quotations: Sequence[Quotation], hours: int | None) -> str:
    """All quotations as text, with a final line end; ``hours`` is how long a cluster is used."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(quotations, hours)
    return text


__all__ = ["FORMATS", "Quotation", "quote", "render"]

"""How well each target fits one spec.

Targets are ranked by four criteria that the comparison shows: whether the spec renders, then the
fewest unsupported features (``none``), the fewest features supported with differences
(``partial``), and the fewest warnings. Targets equal in all four share a rank. A target for which
the spec cannot be planned comes last.

Every format is a module with the same function, ``render(comparisons)``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from clustergen.comparison.model import Comparison, compare

FORMATS: Final = ("text", "json", "markdown")
"""Names of modules with ``render(comparisons)``."""


def render(format: str, comparisons: Sequence[Comparison]) -> str:
    """All comparisons as text, with a final line end."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(comparisons)
    return text


__all__ = ["FORMATS", "Comparison", "compare", "render"]

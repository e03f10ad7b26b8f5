"""What each target makes of one spec, side by side.

Targets are put in order by four numbers that the comparison shows, one after the other: those that
can be rendered come first; then those that cannot do the fewest of the features that the spec uses
(``none``); then those that do the fewest differently (``partial``); then those with the fewest
warnings. Targets alike in all four share a place; nothing else is weighed. Where nothing could be
planned for a target, it comes last.

Every format is a module with the same function, ``render(comparisons)``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from clustergen.comparison.model import Comparison, compare

FORMATS: Final = ("text", "json", "markdown")
"""Each the name of a module with ``render(comparisons)``."""


def render(format: str, comparisons: Sequence[Comparison]) -> str:
    """All comparisons as one text that ends with a line end."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(comparisons)
    return text


__all__ = ["FORMATS", "Comparison", "compare", "render"]

"""How well each target fits one spec.

Targets are ranked by four criteria that the comparison shows: whether the spec renders, then the
fewest unsupported features (``none``), the fewest features supported with differences
(``partial``), and the fewest warnings. Targets equal in all four share a rank. A target for which
the spec cannot be planned comes last.
"""

from collections.abc import Sequence

from clustergen.analysis.compare import json, view
from clustergen.analysis.compare.model import Comparison, compare, is_clear
from clustergen.output import blocks


def render(format: str, comparisons: Sequence[Comparison]) -> str:
    """The comparisons in one of :data:`blocks.FORMATS`."""
    return blocks.render(format, map(view.blocks, comparisons), lambda: json.render(comparisons))


__all__ = ["Comparison", "compare", "is_clear", "render"]

"""Which instances, bought how, on which service, would do: ranked, with cost and limits.

Every format is a module with the same function, ``render(recommendation)``.
"""

from __future__ import annotations

import importlib
from typing import Final

from clustergen.recommendation.answers import Answer, Recommendation, recommend
from clustergen.recommendation.need import Need

FORMATS: Final = ("text", "json", "markdown")
"""Names of modules with ``render(recommendation)``."""


def render(format: str, found: Recommendation) -> str:
    """A recommendation as text, with a final line end."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(found)
    return text


__all__ = ["FORMATS", "Answer", "Need", "Recommendation", "recommend", "render"]

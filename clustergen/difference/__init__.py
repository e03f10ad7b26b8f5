"""What a change of a spec does to a running cluster.

``sides`` reads the old and the new side: specs, bundles, revisions of git. ``model`` compares their
bundles and adds what :mod:`clustergen.effects` does not know: which fields of the spec cause an
effect (``causes``), and in which order to proceed (``order``).

Every format is a module with the same function, ``render(differences, everything)``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from clustergen.difference.model import Caused, Difference, compare
from clustergen.difference.sides import Folders, Side, Spec

FORMATS: Final = ("text", "json", "markdown")
"""Names of modules with ``render(differences, everything)``."""


def render(format: str, differences: Sequence[Difference], *, everything: bool = False) -> str:
    """All differences as text, with a final line end; ``everything`` includes changes in place."""
    module = importlib.import_module(f"{__name__}.{format}")
    text: str = module.render(differences, everything)
    return text


__all__ = [
    "FORMATS",
    "Caused",
    "Difference",
    "Folders",
    "Side",
    "Spec",
    "compare",
    "render",
]

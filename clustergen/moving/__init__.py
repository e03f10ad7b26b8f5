"""How to take a cluster to another service, or to a new version, while its data stays.

The foundation, with network, file systems and roles, is a stack of its own, which all targets of a
spec share, and specs that name it. So the new cluster is created beside the old one, and mounts the
same file systems.

Every format is a module with the same function, ``render(move)``.
"""

from __future__ import annotations

import importlib
from typing import Final

from clustergen.moving.model import End, Move, Phase, Step
from clustergen.moving.planning import plan

FORMATS: Final = ("text", "json", "markdown")
"""Names of modules with ``render(move)``."""


def render(format: str, move: Move) -> str:
    """The move as text, with a final line end."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(move)
    return text


__all__ = ["FORMATS", "End", "Move", "Phase", "Step", "plan", "render"]

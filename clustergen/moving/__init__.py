"""How to take a cluster from one service to another while its data stays.

The foundation, with network, file systems and roles, is a stack of its own that all targets of a
spec share. So the new cluster is created beside the old one, and mounts the same file systems.

Every format is a module with the same function, ``render(move)``.
"""

from __future__ import annotations

import importlib
from typing import Final

from clustergen.moving.model import Move, Phase
from clustergen.moving.planning import plan

FORMATS: Final = ("text", "json", "markdown")
"""Names of modules with ``render(move)``."""


def render(format: str, move: Move) -> str:
    """The move as text, with a final line end."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(move)
    return text


__all__ = ["FORMATS", "Move", "Phase", "plan", "render"]

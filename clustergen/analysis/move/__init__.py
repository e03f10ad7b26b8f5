"""How to take a cluster to another service, or to a new version, while its data stays.

The foundation, with network, file systems and roles, is a stack of its own, which all targets of a
spec share, and specs that name it. So the new cluster is created beside the old one, and mounts the
same file systems.
"""

from clustergen.analysis.move import json, view
from clustergen.analysis.move.model import End, Move, Phase, Step
from clustergen.analysis.move.planning import plan
from clustergen.output import blocks


def render(format: str, move: Move) -> str:
    """The move in one of :data:`blocks.FORMATS`."""
    return blocks.render(format, [view.blocks(move)], lambda: json.render(move))


__all__ = ["End", "Move", "Phase", "Step", "plan", "render"]

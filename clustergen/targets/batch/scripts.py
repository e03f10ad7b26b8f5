"""clustergen's scripts for the nodes of Batch."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from clustergen.base import shell
from clustergen.services.nodes.node_scripts import NodeScript


@dataclass(frozen=True, slots=True)
class Script(NodeScript):
    """A script of the bundle, under ``scripts/``."""

    name: str

    @property
    def text(self) -> str:
        return _text(self.name)


_FOLDERS = {
    "check-accelerators.sh": "scripts",
    "lustre-efa.sh": "shared",
    "mount.sh": "scripts",
    "packages.sh": "batch",
    "scratch.sh": "shared",
}


@functools.lru_cache(maxsize=8)
def _text(name: str) -> str:
    return shell.render(
        f"{_FOLDERS[name]}/{name}.j2",
        linger=0,
        before="ecs.service",
        consequence="the node then does not join, and gets no job.",
    )

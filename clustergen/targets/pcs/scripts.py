"""clustergen's scripts for the nodes of PCS."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from clustergen.base import shell
from clustergen.services.nodes.node_scripts import NodeScript


@dataclass(frozen=True, slots=True)
class Script(NodeScript):
    """A script of the bundle, under ``scripts/``; its text is rendered when it is used.

    What differs between nodes is an argument.
    """

    name: str
    made: str = ""
    """The text, if it depends on the plan."""

    @property
    def text(self) -> str:
        return self.made or _text(self.name)


# Scripts that targets share.
_SHARED = ("containers.sh", "lustre-efa.sh", "scratch.sh")
_COMMANDS = ("check-accelerators.sh", "mount.sh")
LOG_AGENT_SECONDS = 20


# All node groups use the same few scripts; the cache holds those of one cluster.
@functools.lru_cache(maxsize=16)
def _text(name: str) -> str:
    return shell.render(
        f"{'scripts' if name in _COMMANDS else 'shared' if name in _SHARED else 'pcs'}/{name}.j2",
        linger=LOG_AGENT_SECONDS,
        plugin="pcs/parts/pyxis-plugin.sh.j2",
        plugin_argument="SLURM-VERSION",
        consequence="PCS then replaces the node before it gets a job.",
    )

"""clustergen's scripts for the nodes of PCS."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from clustergen import shell
from clustergen.node_scripts import NodeScript
from clustergen.plan.model import User


@dataclass(frozen=True, slots=True)
class Script(NodeScript):
    """A script of the bundle, under ``scripts/``; its text is rendered when it is used.

    SSH keys are too long for arguments, so the text contains users. All else is an argument.
    """

    name: str
    users: tuple[User, ...] = ()
    made: str = ""
    """The text, if it depends on more than users."""

    @property
    def text(self) -> str:
        return self.made or _text(self.name, self.users)


# Scripts that targets share.
_SHARED = ("containers.sh", "lustre-efa.sh", "scratch.sh", "users.sh")
_COMMANDS = ("check-accelerators.sh", "mount.sh")
_LOG_AGENT_SECONDS = 20


# All node groups use the same few scripts; the cache holds those of one cluster.
@functools.lru_cache(maxsize=16)
def _text(name: str, users: tuple[User, ...]) -> str:
    return shell.render(
        f"{'scripts' if name in _COMMANDS else 'shared' if name in _SHARED else 'pcs'}/{name}.j2",
        users=users,
        linger=_LOG_AGENT_SECONDS,
        plugin="pcs/parts/pyxis-plugin.sh.j2",
        plugin_argument="SLURM-VERSION",
        consequence="PCS then replaces the node before it gets a job.",
    )

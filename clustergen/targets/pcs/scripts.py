"""clustergen's scripts for the nodes of PCS."""

import functools

from clustergen.base import shell
from clustergen.services.nodes.node_scripts import NodeScript

# Scripts that targets share.
_SHARED = ("containers.sh", "lustre-efa.sh", "scratch.sh")
_COMMANDS = ("check-accelerators.sh", "mount.sh")
LOG_AGENT_SECONDS = 20


@functools.cache
def node_script(name: str) -> NodeScript:
    """The script ``name``; what differs between nodes is an argument."""
    text = shell.render(
        f"{'scripts' if name in _COMMANDS else 'shared' if name in _SHARED else 'pcs'}/{name}.j2",
        linger=LOG_AGENT_SECONDS,
        plugin="pcs/parts/pyxis-plugin.sh.j2",
        plugin_argument="SLURM-VERSION",
        consequence="PCS then replaces the node before it gets a job.",
    )
    return NodeScript(name, text)

"""clustergen's scripts for the nodes of Batch."""

import functools

from clustergen.base import shell
from clustergen.services.nodes.node_scripts import NodeScript

_FOLDERS = {
    "check-accelerators.sh": "scripts",
    "lustre-efa.sh": "shared",
    "mount.sh": "scripts",
    "packages.sh": "batch",
    "scratch.sh": "shared",
}


@functools.cache
def node_script(name: str) -> NodeScript:
    """The script ``name``; what differs between nodes is an argument."""
    text = shell.render(
        f"{_FOLDERS[name]}/{name}.j2",
        linger=0,
        before="ecs.service",
        consequence="the node then does not join, and gets no job.",
    )
    return NodeScript(name, text)

"""User data of nodes: the commands and settings with which eksctl starts them."""

from __future__ import annotations

from typing import Final

from clustergen.aws import mime
from clustergen.importing.eksctl.keys import Keys

_NODE_CONFIG: Final = "application/node.eks.aws"


def user_data(group: Keys) -> str | None:
    """The user data of a node group; None if it has none of its own."""
    before = group.texts("preBootstrapCommands")
    override = group.take("overrideBootstrapCommand")
    parts = []
    if before:
        script = "#!/bin/bash\nset -o errexit\n" + "\n".join(before)
        parts.append((mime.SHELL_SCRIPT, script.rstrip("\n") + "\n"))
    if override:
        text = str(override).rstrip("\n") + "\n"
        kind = _NODE_CONFIG if "kind: NodeConfig" in text else mime.SHELL_SCRIPT
        parts.append((kind, text))
    return mime.multipart(parts) if parts else None

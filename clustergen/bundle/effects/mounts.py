"""New file systems where something else was mounted before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clustergen.bundle.effects import identity
from clustergen.bundle.effects.model import Effect
from clustergen.bundle.effects.values import at
from clustergen.deployment.model import PATH
from clustergen.plan.storage import output_stem

_OTHERS_DECIDE = "cluster.yaml", "manifests/volumes.yaml"
"""ParallelCluster and Kubernetes reject another file system at a mount."""


def hidden(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """New file systems at a mount that had one from outside the foundation: they are empty."""
    if identity.FOUNDATION not in new or any(path in new for path in _OTHERS_DECIDE):
        return
    found = at(identity.document(old, PATH), "mounts.found") or ()
    for mount in at(identity.document(new, PATH), "mounts.made") or ():
        if mount in found:
            name = output_stem(mount)
            text = (
                f"mounts {name}, a new and empty file system, at {mount}: what was mounted there "
                "stays as it is, but no node mounts it"
            )
            yield Effect("data-at-risk", name, "", text)

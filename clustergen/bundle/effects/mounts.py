"""New file systems where something else was mounted before."""

from collections.abc import Iterator, Mapping

from clustergen.bundle.effects import identity
from clustergen.bundle.effects.model import Effect
from clustergen.deployment.model import PATH
from clustergen.plan.storage import output_stem
from clustergen.services.fields import value_at

_OTHERS_DECIDE = "cluster.yaml", "manifests/volumes.yaml"
"""ParallelCluster and Kubernetes reject another file system at a mount."""


def hidden(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """New file systems at a mount that had one from outside the foundation: they are empty."""
    if identity.FOUNDATION not in new or any(path in new for path in _OTHERS_DECIDE):
        return
    found = value_at(identity.document(old, PATH), "mounts.found") or ()
    for mount in value_at(identity.document(new, PATH), "mounts.made") or ():
        if mount in found:
            name = output_stem(mount)
            text = (
                f"mounts {name}, a new and empty file system, at {mount}: what was mounted there "
                "stays as it is, but no node mounts it"
            )
            yield Effect("data-at-risk", name, "", text)

"""New file systems where something else was mounted before."""

from collections.abc import Iterator, Mapping

from clustergen.base.patterns import pattern
from clustergen.bundle.effects import identity
from clustergen.bundle.effects.model import Effect
from clustergen.deployment.model import PATH
from clustergen.services.fields import value_at

_OF = pattern(r" of (/\S+)$")
_OTHERS_DECIDE = "cluster.yaml", "manifests/volumes.yaml"
"""ParallelCluster and Kubernetes reject another file system at a mount."""


def hidden(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """New file systems at a mount that had one from outside the foundation: they are empty."""
    if identity.FOUNDATION not in new or any(path in new for path in _OTHERS_DECIDE):
        return
    known = value_at(identity.document(old, PATH), "mounts") or {}
    mounted = {mount for mounts in known.values() for mount in mounts}
    ours = _made(old)
    for mount, name in _made(new).items():
        if mount in mounted and mount not in ours:
            text = (
                f"mounts {name}, a new and empty file system, at {mount}: what was mounted there "
                "stays as it is, but no node mounts it"
            )
            yield Effect("data-at-risk", name, "", text)


def _made(files: Mapping[str, str]) -> Mapping[str, str]:
    found = {}
    for name, output in identity.document(files, identity.FOUNDATION).get("Outputs", {}).items():
        mount = _OF.search(str(output.get("Description")))
        if mount and name.endswith("Id"):
            found[mount[1]] = name.removesuffix("Id")
    return found

"""The MIG partitions of a node group as the name of a configuration that the nodes know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clustergen.catalog import mig
from clustergen.plan.model import NodeGroup
from clustergen.targets.hyperpod_eks import limits


def configuration(group: NodeGroup) -> str | None:
    """The value of the label that partitions the GPUs; None where no configuration fits."""
    if mixed := limits.MIG_MIXED.get(frozenset(group.mig.items())):
        return mixed
    if len(group.mig) != 1:
        return None
    [(name, count)] = group.mig.items()
    return f"all-{name}" if _whole(group, name, count) else None


def alternatives(group: NodeGroup) -> Iterator[Mapping[str, int]]:
    """The possible partitions of a group's GPUs, in the form of the spec."""
    profiles = {profile.name: profile for profile in mig.profiles(group.type)}
    for name, profile in profiles.items():
        if _whole(group, name, profile.most):
            yield {name: profile.most}
    for parts in limits.MIG_MIXED:
        if all(name in profiles for name, _ in parts):
            wanted = dict(sorted(parts))
            if mig.use(group.type, wanted).fits:
                yield wanted


def _whole(group: NodeGroup, name: str, count: int) -> bool:
    """Whether ``all-NAME`` makes ``count`` partitions of each GPU.

    The configuration all-1g.10gb makes seven, which an A100 of 40 GB cannot hold: there the name
    means two slices of memory.
    """
    profile = mig.profile(group.type, name)
    if profile is None or name not in limits.MIG_ALIKE or count != profile.most:
        return False
    return not (name == "1g.10gb" and profile.most != 7)

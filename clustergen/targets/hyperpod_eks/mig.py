"""MIG partitions of a node group, as the name of a predefined configuration."""

from collections.abc import Iterator, Mapping

from clustergen.facts.catalog import mig
from clustergen.plan.model import NodeGroup
from clustergen.targets.hyperpod_eks import limits


def configuration(group: NodeGroup) -> str | None:
    """The value of the label that partitions GPUs; None if no configuration fits."""
    if mixed := limits.MIG_MIXED.get(frozenset(group.mig.items())):
        return mixed
    if len(group.mig) != 1:
        return None
    [(name, count)] = group.mig.items()
    return f"all-{name}" if _whole(group, name, count) else None


def alternatives(group: NodeGroup) -> Iterator[Mapping[str, int]]:
    """The possible partitions of a group's GPUs, as in the spec."""
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
    """Whether ``all-NAME`` divides each GPU into ``count`` partitions.

    The configuration all-1g.10gb creates seven, too many for an A100 with 40 GB, where the profile
    has two memory slices.
    """
    profile = mig.profile(group.type, name)
    if profile is None or name not in limits.MIG_ALIKE or count != profile.most:
        return False
    return not (name == "1g.10gb" and profile.most != 7)

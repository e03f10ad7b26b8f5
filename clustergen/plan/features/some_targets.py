"""How a target supports the features, and what other targets say of those that only some have."""

from collections.abc import Callable, Mapping
from pathlib import Path

from clustergen.plan.features import monitoring
from clustergen.plan.features.model import Support, rows
from clustergen.plan.model import Plan

_ON_OTHER_TARGETS: Mapping[str, Support] = {
    **rows(Path(__file__)),
    "software.registry": Support(
        "partial",
        "not used on Slurm: Enroot and Docker on nodes do not log in to the registry, so tests "
        "and jobs name public images",
        "https://docs.aws.amazon.com/AmazonECR/latest/userguide/registry_auth.html",
        ignored=True,
    ),
}
"""Rows by feature."""


def supported(
    module: Path,
    *,
    shared: Mapping[str, Support] = {},
    special: Mapping[str, Support] = {},
    unless: Mapping[str, Callable[[Plan], object]] = {},
) -> Mapping[str, Support]:
    """Support by feature id, for every feature: what targets share, the JSON file beside a module,
    and ``special`` rows. ``unless`` says which plans get a feature in full.
    """
    found = {**_ON_OTHER_TARGETS, **shared, **monitoring.SHARED, **rows(module), **special}
    found |= {feature: found[feature]._replace(unless=when) for feature, when in unless.items()}
    return found

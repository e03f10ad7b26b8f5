"""How a target supports the features, and what other targets say of those that only some have."""

from collections.abc import Callable, Mapping
from pathlib import Path

from clustergen.plan.features.model import Support, rows
from clustergen.plan.model import Plan

_ON_OTHER_TARGETS = rows(Path(__file__))
"""Rows by feature."""
_MONITORING = rows(Path(__file__).with_name("monitoring"))
"""What the foundation has of metrics, dashboards and alerts, for every target."""


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
    found = {**_ON_OTHER_TARGETS, **shared, **_MONITORING, **rows(module), **special}
    found |= {feature: found[feature]._replace(unless=when) for feature, when in unless.items()}
    return found

"""The second volume of nodes, at /opt/sagemaker; the size of the root volume is fixed."""

from __future__ import annotations

from clustergen.hyperpod import limits
from clustergen.hyperpod.options import Options
from clustergen.plan.model import Plan, Volume


def size_gb(plan: Plan, volume: Volume) -> int | None:
    """Its size; None if there is no second volume."""
    if volume.size_gib is None and plan.options_as(Options).leaves_out("second-volume"):
        return None
    return volume.size_gib or limits.DEFAULT_VOLUME_GB

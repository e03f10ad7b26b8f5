"""How AWS PCS supports each feature: ``support.json``, and a row with a number."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features import Support, monitoring, rows, support
from clustergen.plan.features.some_targets import ON_OTHER_TARGETS
from clustergen.targets.pcs.limits import AGENT, CREATE_NODE_GROUP

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {
        **monitoring.SHARED,
        **ON_OTHER_TARGETS,
        **rows(Path(__file__)),
        "nodes.image": support(
            "full", f"AmiId; the image needs the PCS agent {AGENT} or later", CREATE_NODE_GROUP
        ),
        "monitoring.cloudwatch-metrics": monitoring.SLURM_CLOUDWATCH,
    }
)
"""Support by feature id, for every feature."""

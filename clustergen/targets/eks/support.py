"""How EKS supports each feature: ``support.json``, and when."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features import Support, monitoring, rows
from clustergen.plan.features.some_targets import ON_OTHER_TARGETS

_ROWS = rows(Path(__file__))

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {
        **monitoring.SHARED,
        **ON_OTHER_TARGETS,
        **_ROWS,
        "nodes.scaling": _ROWS["nodes.scaling"]._replace(
            unless=lambda plan: plan.kubernetes.autoscaler == "karpenter"
        ),
    }
)
"""Support by feature id, for every feature."""

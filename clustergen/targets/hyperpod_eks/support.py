"""How HyperPod with EKS supports each feature: ``support.json``, and when."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features import Support, monitoring, rows
from clustergen.plan.features.some_targets import ON_OTHER_TARGETS
from clustergen.services.hyperpod.support import SHARED
from clustergen.targets.hyperpod_eks.options import Options

_ROWS = rows(Path(__file__))
_VOLUMES = ("storage.lustre", "storage.efs", "storage.bucket", "storage.file-cache")
"""Volumes of CSI drivers, which the bundle installs in the cluster that it creates."""


def _volume(feature: str) -> Support:
    return _ROWS[feature]._replace(unless=lambda plan: plan.options_as(Options).creates_eks)


SUPPORT: Mapping[str, Support] = MappingProxyType(
    {
        **ON_OTHER_TARGETS,
        **SHARED,
        **monitoring.SHARED,
        **_ROWS,
        **{feature: _volume(feature) for feature in _VOLUMES},
    }
)
"""Support by feature id, for every feature."""

"""How SageMaker HyperPod with Slurm supports each feature: ``support.json``, and when."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features import Support, monitoring, rows
from clustergen.plan.features.some_targets import ON_OTHER_TARGETS
from clustergen.services.hyperpod.support import SHARED
from clustergen.targets.hyperpod_slurm.options import Options

_ROWS = rows(Path(__file__))

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {
        **ON_OTHER_TARGETS,
        **SHARED,
        **monitoring.SHARED,
        **_ROWS,
        "software.pyxis": _ROWS["software.pyxis"]._replace(
            unless=lambda plan: plan.options_as(Options).mode == "api"
        ),
        "monitoring.cloudwatch-metrics": monitoring.SLURM_CLOUDWATCH,
    }
)
"""Support by feature id, for every feature."""

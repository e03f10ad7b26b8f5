"""How ParallelCluster 3.16.1 supports each feature: ``support.json``.

There, ``pcluster`` is the code of the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features import Support, monitoring, rows, support
from clustergen.plan.features.some_targets import ON_OTHER_TARGETS

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {
        **monitoring.SHARED,
        **ON_OTHER_TARGETS,
        **rows(Path(__file__)),
        "monitoring.cloudwatch-metrics": support(
            "partial",
            f"{monitoring.SLURM_CLOUDWATCH.how}; for GPU metrics the image needs Docker with "
            "NVIDIA's container toolkit, or the nvidia-dcgm-exporter unit; ParallelCluster's own "
            "images lack both",
            monitoring.SLURM_CLOUDWATCH.source,
        ),
    }
)
"""Support by feature id, for every feature."""

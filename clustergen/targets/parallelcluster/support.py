"""How ParallelCluster 3.16.1 supports each feature: ``support.json``.

There, ``pcluster`` is the code of the package.
"""

from pathlib import Path

from clustergen.plan.features import monitoring, support, supported

SUPPORT = supported(
    Path(__file__),
    special={
        "monitoring.cloudwatch-metrics": support(
            "partial",
            f"{monitoring.SLURM_CLOUDWATCH.how}; for GPU metrics the image needs Docker with "
            "NVIDIA's container toolkit, or the nvidia-dcgm-exporter unit; ParallelCluster's own "
            "images lack both",
            monitoring.SLURM_CLOUDWATCH.source,
        ),
    },
)

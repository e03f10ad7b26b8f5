"""How SageMaker HyperPod with Slurm supports each feature: ``support.json``, and when."""

from pathlib import Path

from clustergen.plan.features import supported
from clustergen.services.hyperpod.support import SHARED
from clustergen.targets.hyperpod_slurm.options import Options

SUPPORT = supported(
    Path(__file__),
    shared=SHARED,
    unless={"software.pyxis": lambda plan: plan.options_as(Options).mode == "api"},
)

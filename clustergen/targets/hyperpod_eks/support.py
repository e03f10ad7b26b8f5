"""How HyperPod with EKS supports each feature: ``support.json``, and when."""

from pathlib import Path

from clustergen.plan.features import supported
from clustergen.plan.model import Plan
from clustergen.services.hyperpod.support import SHARED
from clustergen.targets.hyperpod_eks.options import Options

_VOLUMES = ("storage.lustre", "storage.efs", "storage.bucket", "storage.file-cache")
"""Volumes of CSI drivers, which the bundle installs in the cluster that it creates."""


def _creates_eks(plan: Plan) -> bool:
    return plan.options_as(Options).creates_eks


SUPPORT = supported(Path(__file__), shared=SHARED, unless=dict.fromkeys(_VOLUMES, _creates_eks))

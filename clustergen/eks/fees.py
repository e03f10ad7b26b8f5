"""The fee of an EKS cluster. https://aws.amazon.com/eks/pricing/"""

from __future__ import annotations

from clustergen.cost.model import Line
from clustergen.cost.pricing import Prices
from clustergen.eks.versions import VERSIONS
from clustergen.plan.model import Plan


def control_plane(plan: Plan, at: Prices) -> Line:
    """The control plane, and the surcharge of a version in extended support."""
    name = plan.kubernetes.version
    version = VERSIONS.get(name)
    units = {"EKS cluster": 1.0}
    if version is None or version.standard:
        until = version.standard_until if version else None
        what = f"Kubernetes {name}, standard support{f' until {until}' if until else ''}"
    else:
        what = f"Kubernetes {name}, extended support"
        units["EKS extended support"] = 1.0
    return at.line("service", "control plane", what, units)

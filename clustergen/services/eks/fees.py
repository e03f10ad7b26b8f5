"""The fee of an EKS cluster. https://aws.amazon.com/eks/pricing/"""

from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line
from clustergen.services.cost.pricing import Prices
from clustergen.services.eks import versions
from clustergen.services.eks.versions import VERSIONS


def control_plane(plan: Plan, at: Prices) -> Line:
    """The control plane, and the surcharge of a version in extended support."""
    name = plan.kubernetes.version
    version = VERSIONS.get(name)
    units = {"EKS cluster": 1.0}
    if version is None or version.standard:
        until = version.standard_until if version else None
        what = f"Kubernetes {name}, standard support{_then(until, plan, at) if until else ''}"
    else:
        what = f"Kubernetes {name}, extended support"
        units["EKS extended support"] = 1.0
    return at.line("service", "control plane", what, units)


def _then(until: str, plan: Plan, at: Prices) -> str:
    """The end of standard support, and what an hour costs from then on."""
    later = [at.find(name) for name in ("EKS cluster", "EKS extended support")]
    if versions.support(plan.kubernetes) == "standard" or None in later:
        return f" until {until}"
    return f" until {until}, then {sum(price.usd for price in later if price):.2f} USD per hour"

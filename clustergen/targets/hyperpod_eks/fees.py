"""The fees of HyperPod with EKS: those of the EKS cluster; HyperPod has none."""

from collections.abc import Iterator

from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line
from clustergen.services.cost.pricing import Prices
from clustergen.services.eks.fees import control_plane


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The control plane of a new EKS cluster."""
    if plan.options.creates_eks:
        yield control_plane(plan, at)
    else:
        outside = "it exists already"
        yield Line(part="service", name="control plane", what="existing EKS", outside=outside)

"""The fees of HyperPod with EKS: those of the EKS cluster; HyperPod has none."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.cost.model import Line
from clustergen.cost.pricing import Prices
from clustergen.eks.fees import control_plane
from clustergen.plan.model import Plan


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The control plane of a new EKS cluster."""
    if plan.options.creates_eks:
        yield control_plane(plan, at)
    else:
        outside = "it exists already"
        yield Line(part="service", name="control plane", what="existing EKS", outside=outside)

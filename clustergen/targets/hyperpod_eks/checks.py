"""What an overlay makes of the request of HyperPod with EKS."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding
from clustergen.plan.model import Plan


def check(plan: Plan) -> Iterator[Finding]:
    """What HyperPod would refuse of the request that the overlay changes."""
    if plan.overlay:
        from clustergen.hyperpod import api
        from clustergen.hyperpod.rules import request
        from clustergen.targets.hyperpod_eks import cluster

        yield from request.check(plan, api.document(cluster.request(plan)))

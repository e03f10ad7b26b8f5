"""All rules that only HyperPod with EKS has; those of both HyperPod targets are checked, too."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding
from clustergen.hyperpod import rules as shared
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import (
    cluster_rules,
    governance_rules,
    new_cluster_rules,
    node_rules,
    patching_rules,
    scaling_rules,
)

_MODULES = (
    cluster_rules,
    new_cluster_rules,
    node_rules,
    patching_rules,
    scaling_rules,
    governance_rules,
)

RULES = tuple(rule for module in _MODULES for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What HyperPod would refuse or do badly in ``plan``."""
    yield from shared.check(plan)
    for module in _MODULES:
        yield from module.check(plan)
    if plan.overlay:
        from clustergen.hyperpod import api  # and the whole request, for what an overlay made of it
        from clustergen.hyperpod.rules import request
        from clustergen.targets.hyperpod_eks import cluster

        yield from request.check(plan, api.document(cluster.request(plan)))

"""All rules of HyperPod with Slurm, those that it shares with EKS first."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from clustergen.findings import Finding, Rule
from clustergen.hyperpod import rules as shared
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm.rules import people, scheduling, storage

_MODULES: tuple[ModuleType, ...] = (shared, scheduling, storage, people)

RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What HyperPod would refuse or do badly in ``plan``."""
    for module in _MODULES:
        yield from module.check(plan)
    if plan.overlay:
        from clustergen.hyperpod import api  # and the whole request, for what an overlay made of it
        from clustergen.hyperpod.rules import request
        from clustergen.targets.hyperpod_slurm import cluster

        yield from request.check(plan, api.document(cluster.request(plan)))

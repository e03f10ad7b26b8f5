"""All rules of HyperPod with Slurm."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

_MODULES: tuple[ModuleType, ...] = ()

RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What HyperPod would refuse or do badly in ``plan``."""
    for module in _MODULES:
        yield from module.check(plan)

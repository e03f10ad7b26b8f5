"""Rules of both HyperPod targets. Their examples are judged as hyperpod-slurm's.

A target's own list holds them once; each target runs :func:`check`.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from clustergen.findings import Finding, Rule
from clustergen.hyperpod.rules import capacity, limits, nodes, place, request
from clustergen.plan.model import Plan

_MODULES: tuple[ModuleType, ...] = (place, capacity, nodes, limits)

RULES: tuple[Rule, ...] = tuple(rule for module in (*_MODULES, request) for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What HyperPod, whoever orchestrates it, would refuse or do badly in ``plan``."""
    for module in _MODULES:
        yield from module.check(plan)

"""All rules that only EKS has."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.targets.eks.rules import (
    control_plane,
    devices,
    images,
    labels,
    scaling,
    scheduling,
    sizes,
)

_MODULES: tuple[ModuleType, ...] = (
    *(control_plane, labels, devices, scheduling),
    *(scaling, images, sizes),
)

RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What EKS would refuse or do badly in ``plan``."""
    for module in _MODULES:
        yield from module.check(plan)

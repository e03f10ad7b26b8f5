"""All rules of PCS."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding
from clustergen.plan.model import Plan
from clustergen.targets.pcs import (
    capacity_rules,
    limit_rules,
    place_rules,
    slurm_rules,
    storage_rules,
)

_MODULES = (slurm_rules, limit_rules, capacity_rules, place_rules, storage_rules)

RULES = tuple(rule for module in _MODULES for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What PCS would refuse or do badly in ``plan``."""
    for module in _MODULES:
        yield from module.check(plan)

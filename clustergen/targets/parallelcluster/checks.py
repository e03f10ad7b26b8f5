"""All rules of this target, in the order in which their findings make sense."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster.rules import (
    capacity,
    identity,
    images,
    network,
    scheduling,
    sizes,
    storage,
)

_MODULES = (network, images, capacity, scheduling, storage, identity, sizes)

RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)


def check(plan: Plan) -> Iterator[Finding]:
    """What ParallelCluster would refuse or do otherwise, and what its own validators miss."""
    for module in _MODULES:
        yield from module.check(plan)

"""All rules that only EKS has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from clustergen import schemas
from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.targets.eks import document_rules
from clustergen.targets.eks.rules import (
    control_plane,
    devices,
    entry,
    images,
    karpenter,
    labels,
    scaling,
    scheduling,
    sizes,
    stack,
    version,
)

_MODULES: tuple[ModuleType, ...] = (
    *(version, control_plane, labels, devices, scheduling),
    *(scaling, karpenter, images, sizes, entry, stack),
)

RULES: tuple[Rule, ...] = tuple(
    rule for module in (*_MODULES, document_rules) for rule in module.RULES
)


def check(plan: Plan) -> Iterator[Finding]:
    """What EKS would refuse or do badly in ``plan``."""
    for module in _MODULES:
        yield from module.check(plan)


def overlaid(plan: Plan, document: Mapping[str, Any]) -> Iterator[Finding]:
    """What the overlay of ``plan`` breaks in ``document``, the template without it."""
    yield from document_rules.check(plan, document, schemas.EKS.list_keys)

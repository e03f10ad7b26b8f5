"""What an overlay makes of the template of EKS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen import schemas
from clustergen.findings import Finding
from clustergen.plan.model import Plan
from clustergen.targets.eks import document_rules

RULES = document_rules.RULES


def overlaid(plan: Plan, document: Mapping[str, Any]) -> Iterator[Finding]:
    """What the overlay of ``plan`` breaks in ``document``, the template without it."""
    yield from document_rules.check(plan, document, schemas.EKS.list_keys)

"""All rules that only EKS has."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULES: tuple[Rule, ...] = ()


def check(plan: Plan) -> Iterator[Finding]:
    """What EKS would refuse or do badly in ``plan``."""
    yield from ()

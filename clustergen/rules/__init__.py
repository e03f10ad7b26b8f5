"""Rules for all targets: one module for each concern, discovered automatically."""

from collections.abc import Iterator
from dataclasses import replace

from clustergen.base import discovery
from clustergen.base.findings import Finding
from clustergen.plan.model import Plan


def check(plan: Plan) -> Iterator[Finding]:
    """The findings of all rules in this package."""
    for rule in discovery.rules_below(__name__):
        for problem in rule.check(plan) if rule.check else ():
            found = rule.found(problem)
            yield replace(found, target=plan.target) if rule.by_limits else found

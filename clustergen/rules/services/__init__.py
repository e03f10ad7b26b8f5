"""Rules about limits of services; they read :class:`clustergen.plan.limits.Limits`.

A target that provides its limits gets these rules; none depends on a specific target. Findings are
for the target of the plan, and their source is the page of that service.
"""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, by_limits=True, target="pcs")
warning = functools.partial(findings.warning, by_limits=True, target="pcs")
note = functools.partial(findings.note, by_limits=True, target="pcs")
"""Declare rules that check limits; ``target`` is the target of their examples."""

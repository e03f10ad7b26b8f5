"""Rules on what a service accepts: they read :class:`clustergen.plan.limits.Limits`.

A target fills in its limits and has these rules; none of them knows a target. A finding is of the
target that the plan is for, and its note is the page of that service.
"""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, by_limits=True)
"""Declares a rule that checks limits; ``target`` is the one to check its examples for."""

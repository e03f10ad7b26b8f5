"""Rules for EKS, one module for each concern."""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, target="eks")

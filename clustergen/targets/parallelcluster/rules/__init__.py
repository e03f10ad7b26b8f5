"""Rules for ParallelCluster."""

from __future__ import annotations

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="parallelcluster")
"""Declares a rule of ParallelCluster."""

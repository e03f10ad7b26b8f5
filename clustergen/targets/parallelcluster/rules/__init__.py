"""Rules for ParallelCluster."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="parallelcluster")
"""Declares a rule of ParallelCluster."""

"""Rules for ParallelCluster."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="parallelcluster")
warning = functools.partial(findings.warning, target="parallelcluster")
note = functools.partial(findings.note, target="parallelcluster")

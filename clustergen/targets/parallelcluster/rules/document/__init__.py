"""Rules about cluster.yaml, for what its schema cannot express.

They run on a document that an overlay has changed. One without an overlay satisfies them; the
tests prove it.
"""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, target="parallelcluster")
"""Declares a rule of ParallelCluster; the check gets the document."""

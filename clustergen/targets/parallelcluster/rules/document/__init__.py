"""Rules about cluster.yaml, for what its schema cannot express.

They run only on documents changed by an overlay; tests prove that other documents satisfy them.
"""

from __future__ import annotations

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="parallelcluster")
"""Declares a rule of ParallelCluster; the check gets the document."""

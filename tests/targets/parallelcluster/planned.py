"""Findings and bundles of ParallelCluster, of spec fragments laid over the example spec."""

from clustergen.base.findings import Finding
from tests.support.checking import Fragments

PARALLELCLUSTER = Fragments("parallelcluster")
plan_of, files = PARALLELCLUSTER.plan, PARALLELCLUSTER.files
every_finding = PARALLELCLUSTER.findings


def own_findings(fragment: str) -> list[Finding]:
    """What this target's rules find; not what its support matrix says."""
    found = PARALLELCLUSTER.findings(fragment)
    return [f for f in found if f.target == PARALLELCLUSTER.target and not f.code.startswith("SUP")]

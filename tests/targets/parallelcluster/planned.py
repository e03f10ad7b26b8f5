"""Findings and bundles of ParallelCluster, of spec fragments laid over the example spec."""

from clustergen.base.findings import Finding
from tests.support.checking import Fragments

PARALLELCLUSTER = Fragments("parallelcluster")
plan_of, files = PARALLELCLUSTER.plan, PARALLELCLUSTER.files
every_finding = PARALLELCLUSTER.findings


def own_findings(fragment: str) -> list[Finding]:
    """What this target's rules find; not what its support matrix says, or an overlay changes."""
    found = [f for f in every_finding(fragment) if f.target == PARALLELCLUSTER.target]
    return [f for f in found if not f.code.startswith(("SUP", "OVL001"))]

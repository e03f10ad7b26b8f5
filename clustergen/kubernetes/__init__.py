"""The software of a cluster of Kubernetes, as files: charts, values, manifests, tests."""

from __future__ import annotations

from clustergen.artifacts import Artifact
from clustergen.plan.model import Plan


def files(plan: Plan) -> tuple[Artifact, ...]:
    """All files of what runs in the cluster, in the order that they are used in."""
    from clustergen.kubernetes import bundle  # a check needs a few names of the package only

    return bundle.files(plan)

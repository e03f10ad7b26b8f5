"""The software of a cluster of Kubernetes, as files: charts, values, manifests."""

from __future__ import annotations

from clustergen.artifacts import Artifact
from clustergen.plan.model import Plan


def files(plan: Plan) -> tuple[Artifact, ...]:  # noqa: ARG001 in the making
    """All files of what runs in the cluster."""
    return ()

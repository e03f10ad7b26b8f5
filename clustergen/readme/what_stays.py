"""Resources that outlive the cluster and its foundation, and how to delete them."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import foundation
from clustergen.foundation import deployment
from clustergen.plan.model import Plan

_FOUNDATION = """\
After the cluster is deleted, the foundation remains and continues to cost money until it is deleted
too."""
_RETAINED = """\
These resources remain even then, because they contain data, or resources with data. Delete them in
this order; `./deploy.sh --destroy-foundation` prints the commands with the ids:"""


def paragraphs(plan: Plan, cluster: str) -> Iterator[str]:
    """Paragraphs, if anything remains; ``cluster`` is what the cluster leaves
    (``Runbook.remains``)."""
    whole = foundation.build(plan)
    if whole.resources:
        yield _FOUNDATION
    if cluster:
        yield f"The cluster leaves {cluster}."
    if kept := list(deployment.retained(whole)):
        yield _RETAINED
        yield "\n".join(
            f"- {name}: `aws --region {plan.region} {command}`" for name, command in kept
        )

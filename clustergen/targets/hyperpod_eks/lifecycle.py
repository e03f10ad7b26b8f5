"""The lifecycle scripts of a cluster, and what the request says of them."""

from __future__ import annotations

from clustergen.artifacts import Artifact
from clustergen.hyperpod import groups, scripts
from clustergen.hyperpod.request import Lifecycle
from clustergen.plan.model import Plan

ON_CREATE = "on_create.sh"


def files(plan: Plan) -> tuple[Artifact, ...]:
    """The folder ``lifecycle/`` of the bundle."""
    return scripts.lifecycle(plan, "eks", "customer-managed")


def config(plan: Plan) -> Lifecycle:
    """What every instance group says of its scripts: without them the request is refused."""
    return groups.lifecycle(scripts.prefix(files(plan)), on_create=ON_CREATE)

"""The lifecycle scripts of a cluster, and how the request names them."""

from __future__ import annotations

import functools

from clustergen.artifacts import Bundle, Json
from clustergen.hyperpod import groups, scripts
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks.options import Options


# Both the request and deploy.sh use the hash of the files.
@functools.lru_cache(maxsize=8)
def files(plan: Plan) -> Bundle:
    """The folder ``lifecycle/`` of the bundle; empty if the user has scripts of their own."""
    if plan.options_as(Options).lifecycle:
        return ()
    return scripts.lifecycle(plan, "kubernetes")


def config(plan: Plan) -> Json:
    """``LifeCycleConfig`` of all instance groups, which the API requires."""
    if own := plan.options_as(Options).lifecycle:
        return own.config
    return groups.lifecycle(scripts.prefix(files(plan)), OnCreate=scripts.entry_point("kubernetes"))

"""The lifecycle scripts of a cluster, and how the request names them."""

from __future__ import annotations

import functools

from clustergen.artifacts import Bundle, Json
from clustergen.hyperpod import groups, scripts
from clustergen.plan.model import Plan


# Both the request and deploy.sh use the hash of the files.
@functools.lru_cache(maxsize=8)
def files(plan: Plan) -> Bundle:
    """The folder ``lifecycle/`` of the bundle."""
    return scripts.lifecycle(plan, "kubernetes")


def config(plan: Plan) -> Json:
    """``LifeCycleConfig`` of all instance groups, which the API requires."""
    return groups.lifecycle(scripts.prefix(files(plan)), OnCreate=scripts.entry_point("kubernetes"))

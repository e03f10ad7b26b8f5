"""The lifecycle scripts of a cluster, and how the request names them."""

from __future__ import annotations

from clustergen.artifacts import Bundle, Json
from clustergen.hyperpod import groups, scripts
from clustergen.plan.model import Plan


def files(plan: Plan) -> Bundle:
    """The folder ``lifecycle/`` of the bundle."""
    return scripts.lifecycle(plan, "kubernetes")


def config(files: Bundle) -> Json:
    """``LifeCycleConfig`` of every instance group: the request is refused without it."""
    return groups.lifecycle(scripts.prefix(files), OnCreate=scripts.entry_point("kubernetes"))

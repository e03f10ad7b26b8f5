"""The lifecycle scripts of a cluster, and how the request names them."""

import functools

from clustergen.base.artifacts import Bundle, Json
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import groups, scripts, steps
from clustergen.targets.hyperpod_eks.options import Options


# Both the request and deploy.sh use the hash of the files.
@functools.lru_cache(maxsize=8)
def files(plan: Plan) -> Bundle:
    """The folder ``lifecycle/`` of the bundle; empty if the user has scripts of their own."""
    if plan.options_as(Options).lifecycle:
        return ()
    return scripts.lifecycle(plan, "kubernetes")


def has_optional(plan: Plan) -> bool:
    """Whether a node takes pods also after some failed step."""
    made = steps.instance_groups(plan, "kubernetes") if files(plan) else ()
    return any(step.kind == "optional" for group in made for step in group.steps)


def config(plan: Plan) -> Json:
    """``LifeCycleConfig`` of all instance groups, which the API requires."""
    if own := plan.options_as(Options).lifecycle:
        return own.config
    return groups.lifecycle(scripts.prefix(files(plan)), OnCreate=scripts.entry_point("kubernetes"))

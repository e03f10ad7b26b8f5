"""Whose an object is: a deployment deletes labelled objects that the bundle lacks."""

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan

LABEL, _OWNER = "app.kubernetes.io/managed-by", "clustergen"


def owner(plan: Plan) -> str:
    """The value of the label. An existing cluster may have the objects of several bundles, among
    them the one that created it."""
    return _OWNER if plan.system else f"{_OWNER}-{plan.name}"


def labelled(plan: Plan, item: Json) -> Json:
    """``item`` with the label."""
    metadata = item["metadata"]
    labels = {**metadata.get("labels", {}), LABEL: owner(plan)}
    return {**item, "metadata": {**metadata, "labels": labels}}

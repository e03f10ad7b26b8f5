"""The cluster of the nodes: one of the template, or an existing one."""

from __future__ import annotations

from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.targets.pcs import names


def id(plan: Plan) -> Any:
    """The id of the cluster as a CloudFormation value."""
    return cfn.get_att(names.CLUSTER, "Id") if plan.creates_cluster else plan.existing.cluster


def id_in_text(plan: Plan) -> str:
    """The id of the cluster in the text of ``Fn::Sub``."""
    return f"${{{names.CLUSTER}.Id}}" if plan.creates_cluster else plan.existing.cluster

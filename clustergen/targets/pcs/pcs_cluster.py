"""The cluster of the nodes: one of the template, or an existing one."""

from __future__ import annotations

from typing import Any

from clustergen.aws import cfn
from clustergen.plan.model import Plan
from clustergen.targets.pcs import names
from clustergen.targets.pcs.options import Options


def is_new(plan: Plan) -> bool:
    """Whether the template creates the cluster."""
    return plan.options_as(Options).creates_cluster


def id(plan: Plan) -> Any:
    """The id of the cluster as a CloudFormation value."""
    return cfn.get_att(names.CLUSTER, "Id") if is_new(plan) else plan.options_as(Options).cluster


def id_in_text(plan: Plan) -> str:
    """The id of the cluster in the text of ``Fn::Sub``."""
    return f"${{{names.CLUSTER}.Id}}" if is_new(plan) else plan.options_as(Options).cluster

"""The bundle of an EKS cluster: the stack's template, and what is installed in the cluster."""

from __future__ import annotations

from clustergen import cfn
from clustergen.artifacts import Bundle, json_artifact
from clustergen.plan.model import Plan

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> cfn.Json:
    """The synthesized CloudFormation template of a plan without errors."""
    return {"Resources": {"Cluster": {"Type": "AWS::EKS::Cluster"}}}


def emit(plan: Plan, document: cfn.Json) -> Bundle:
    """All files of the cluster; ``document`` is its template, with the user's overlay."""
    return (json_artifact(TEMPLATE, document),)


def steps(plan: Plan) -> list[str]:
    """What to do with the bundle, in order."""
    return []

"""From a plan to the template of its stack."""

from __future__ import annotations

import aws_cdk as cdk

from clustergen import foundation
from clustergen.artifacts import Json
from clustergen.cdk import synth
from clustergen.cdk.inputs import Parameters
from clustergen.cdk.stack import ClusterStack
from clustergen.plan.model import Plan


def template(plan: Plan) -> Json:
    """The template of a plan's stack; what the foundation gives is its parameters."""

    def make(app: cdk.App) -> cdk.Stack:
        stack = ClusterStack(app, "Cluster", plan=plan, description=description(plan))
        from clustergen.targets.eks.cluster import EksCluster  # while the app was made, this loaded

        EksCluster(stack, "Default", plan=plan, inputs=Parameters(stack, foundation.outputs(plan)))
        return stack

    return synth.template(make)


def description(plan: Plan) -> str:
    """The outputs of the stack."""
    return f"Amazon EKS cluster {plan.name}"

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
    """The template of a plan's stack; outputs of the foundation are parameters."""

    def make(app: cdk.App) -> cdk.Stack:
        stack = ClusterStack(app, "Cluster", plan=plan, description=description(plan))
        from clustergen.targets.eks.cluster import EksCluster  # loaded while the app was created

        EksCluster(stack, "Default", plan=plan, inputs=Parameters(stack, foundation.outputs(plan)))
        return stack

    return synth.template(make)


def description(plan: Plan) -> str:
    """A description of the stack's outputs."""
    return f"Amazon EKS cluster {plan.name}"

"""A new EKS cluster for HyperPod's nodes, as a stack of its own. Imported where one is made only.

Its nodes are a few for what runs the cluster itself. Those of HyperPod join later, by entries of
access that HyperPod makes.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.cdk import synth
from clustergen.cdk.inputs import Inputs, Parameters
from clustergen.cdk.stack import ClusterStack
from clustergen.eks.control_plane import ControlPlane
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import charts, eks_cluster


class EksForHyperPod(Construct):
    """The EKS cluster, with what HyperPod asks of one."""

    control_plane: ControlPlane

    def __init__(self, scope: Construct, id: str, *, plan: Plan, inputs: Inputs) -> None:
        super().__init__(scope, id)
        self.control_plane = ControlPlane(scope, "Cluster", plan=plan, inputs=inputs)
        if not _efa_is_allowed(plan):
            _allow_efa(scope, self.control_plane.security_group)


class EksStack(ClusterStack):
    """The stack, and what later ones need of it."""

    def __init__(
        self, scope: Construct, id: str, *, plan: Plan, outputs: Mapping[str, str]
    ) -> None:
        super().__init__(
            scope, id, plan=plan, description=f"EKS cluster {plan.name}, for nodes of HyperPod"
        )
        self.eks = EksForHyperPod(self, "Eks", plan=plan, inputs=Parameters(self, outputs))
        cluster = self.eks.control_plane.cluster
        values = {
            "EksClusterArn": cluster.attr_arn,
            "EksClusterName": cluster.ref,
            "EksClusterSecurityGroupId": self.eks.control_plane.security_group,
        }
        for name, description in eks_cluster.OUTPUTS.items():
            cdk.CfnOutput(self, name, value=values[name], description=description)
        cdk.CfnOutput(
            self,
            "NextStep",
            value=f"./{charts.INSTALL}",
            description="What of the rendered bundle to run before the HyperPod cluster is made",
        )


def template(plan: Plan, outputs: Mapping[str, str]) -> dict[str, Any]:
    """The stack's template; ``outputs`` are the foundation's, name -> description."""
    return synth.template(lambda app: EksStack(app, "Eks", plan=plan, outputs=outputs))


def _efa_is_allowed(plan: Plan) -> bool:
    """From 1.33 on, EKS's own group has the rule to itself that EFA needs on the way out.

    https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html
    """
    return int(plan.kubernetes.version.partition(".")[2]) >= 33


def _allow_efa(scope: Construct, group: str) -> None:
    """All traffic out to the group itself: HyperPod's check of EFA fails on a group without."""
    cdk.CfnResource(
        scope,
        "EfaEgress",
        type="AWS::EC2::SecurityGroupEgress",
        properties={
            "GroupId": group,
            "DestinationSecurityGroupId": group,
            "IpProtocol": "-1",
            "Description": "All traffic between members, as EFA needs",
        },
    )

"""A new EKS cluster for HyperPod's nodes, as a separate stack. Imported only if there is one.

It has only a few system nodes. HyperPod creates access entries for its nodes, which join later.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import aws_cdk as cdk
from constructs import Construct, IDependable

from clustergen.aws import cfn
from clustergen.cdk import synth
from clustergen.cdk.inputs import Inputs, Parameters
from clustergen.cdk.stack import ClusterStack, name_resources
from clustergen.eks import addons
from clustergen.eks.addons import Addon, ManagedAddon
from clustergen.eks.control_plane import ControlPlane
from clustergen.eks.system_nodes import SystemNodes
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import charts, eks_cluster


class EksForHyperPod(Construct):
    """The EKS cluster: control plane, networking, system nodes and storage drivers."""

    control_plane: ControlPlane
    networking: dict[str, ManagedAddon]
    """The add-ons that are created before any node, by name."""
    system_nodes: SystemNodes
    addons: dict[str, ManagedAddon]
    """The other add-ons, by name."""

    def __init__(self, scope: Construct, id: str, *, plan: Plan, inputs: Inputs) -> None:
        super().__init__(scope, id)
        self.control_plane = ControlPlane(self, "Cluster", plan=plan, inputs=inputs)
        if not _efa_is_allowed(plan):
            _allow_efa(self, self.control_plane.security_group)
        self.networking = {addon.name: self._addon(plan, addon, ()) for addon in addons.NETWORKING}
        self.system_nodes = SystemNodes(
            self,
            "SystemNodes",
            plan=plan,
            inputs=inputs,
            control_plane=self.control_plane,
            # With the foundation's group, so that pods on these nodes reach file systems too.
            security_groups=[
                self.control_plane.security_group,
                *(inputs.value(group) for group in plan.network.node_security_groups),
            ],
            after=[made.addon for made in self.networking.values()],
        )
        # HyperPod's agent monitors and replaces nodes, its add-on has the states of Kubernetes.
        own = (addons.NODE_MONITORING, addons.KUBE_STATE_METRICS)
        wanted = (addon for addon in addons.wanted(plan) if addon not in own)
        nodes = [self.system_nodes.node_group]
        self.addons = {addon.name: self._addon(plan, addon, nodes) for addon in wanted}
        name_resources(self)

    def _addon(self, plan: Plan, addon: Addon, after: Iterable[IDependable]) -> ManagedAddon:
        return ManagedAddon(
            self,
            cfn.logical_id("addon", addon.name),
            addon=addon,
            plan=plan,
            control_plane=self.control_plane,
            after=after,
        )


class EksStack(ClusterStack):
    """The stack, with the outputs that later stacks need."""

    def __init__(
        self, scope: Construct, id: str, *, plan: Plan, outputs: Mapping[str, str]
    ) -> None:
        super().__init__(
            scope, id, plan=plan, description=f"EKS cluster {plan.name}, for nodes of HyperPod"
        )
        self.eks = EksForHyperPod(self, "Default", plan=plan, inputs=Parameters(self, outputs))
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
            description="What to run from the rendered bundle before the HyperPod cluster is "
            "created",
        )


def template(plan: Plan, outputs: Mapping[str, str]) -> dict[str, Any]:
    """The stack's template; ``outputs`` are the foundation's, name -> description."""
    return synth.template(lambda app: EksStack(app, "Eks", plan=plan, outputs=outputs))


def _efa_is_allowed(plan: Plan) -> bool:
    """Whether the cluster's security group has the egress rule for EFA, as from 1.33 on.

    https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html
    """
    return int(plan.kubernetes.version.partition(".")[2]) >= 33


def _allow_efa(scope: Construct, group: str) -> None:
    """Add an egress rule to the group itself; HyperPod's check of EFA requires it."""
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

"""The EKS cluster of a plan as one construct, with its parts as attributes.

Each part has a method, which subclasses can override::

    class MyCluster(EksCluster):
        def make_addons(self) -> dict[str, ManagedAddon]:
            return {**super().make_addons(), "cert-manager": self.make_addon(Addon("cert-manager"))}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct, IDependable

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.cdk import stack
from clustergen.cdk.inputs import Inputs
from clustergen.eks import addons, roles
from clustergen.eks.addons import Addon, ManagedAddon
from clustergen.eks.control_plane import ControlPlane
from clustergen.eks.system_nodes import SystemNodes
from clustergen.foundation import access
from clustergen.kubernetes import prometheus
from clustergen.kubernetes.karpenter import is_karpenter, is_on
from clustergen.monitoring import names
from clustergen.plan.model import NodeGroup, Plan, Ref
from clustergen.targets.eks.node_groups import ManagedNodeGroup, security_groups
from clustergen.targets.eks.options import Options

if TYPE_CHECKING:
    from clustergen.targets.eks.karpenter import Karpenter
    from clustergen.targets.eks.monitoring import AlertSender, ManagedPrometheus
    from clustergen.targets.eks.software import Software


class EksCluster(Construct):
    """Control plane, nodes, add-ons, and resources for the autoscaler and monitoring."""

    plan: Plan
    inputs: Inputs
    control_plane: ControlPlane
    node_role: iam.Role
    """Role of the nodes of all managed node groups."""
    networking: dict[str, ManagedAddon]
    """The add-ons that are created before any node, by name."""
    system_nodes: SystemNodes
    node_groups: dict[str, ManagedNodeGroup]
    """The managed node groups of the spec, by name, without those of Karpenter."""
    addons: dict[str, ManagedAddon]
    """The other add-ons, by name."""
    karpenter: Karpenter | None
    prometheus: ManagedPrometheus | None
    alert_sender: AlertSender | None
    """Of a Prometheus in the cluster."""
    software: Software | None
    """Charts and manifests; None if install.sh installs them."""

    def __init__(
        self, scope: Construct, id: str, *, plan: Plan, inputs: Inputs, software: bool = False
    ) -> None:
        """With ``software``, the stack has assets and installs software in the cluster."""
        super().__init__(scope, id)
        self.plan = plan
        self.inputs = inputs
        self.control_plane = self.make_control_plane()
        self.node_role = roles.node_role(self, "NodeRole", self.node_statements())
        self.networking = {
            addon.name: self.make_addon(addon, after=()) for addon in addons.NETWORKING
        }
        self.system_nodes = self.make_system_nodes()
        self.node_groups = self.make_node_groups()
        self._nodes_after_networking()
        self.addons = self.make_addons()
        self.karpenter = self.make_karpenter()
        self.prometheus = self.make_prometheus()
        self.alert_sender = self.make_alert_sender()
        for name, description, value in self.outputs():
            self._output(name, description, value)
        self.software = self.make_software() if software else None
        stack.name_resources(self)

    def make_control_plane(self) -> ControlPlane:
        return ControlPlane(
            self,
            "Cluster",
            plan=self.plan,
            inputs=self.inputs,
            deletion_protection=self.plan.options_as(Options).deletion_protection,
        )

    def make_system_nodes(self) -> SystemNodes:
        return SystemNodes(
            self,
            "SystemNodes",
            plan=self.plan,
            inputs=self.inputs,
            control_plane=self.control_plane,
            role=self.node_role,
            security_groups=security_groups(self.plan, self.inputs, self.control_plane),
        )

    def make_node_groups(self) -> dict[str, ManagedNodeGroup]:
        """A managed node group for each group of the spec that Karpenter does not scale."""
        return {
            group.name: self.make_node_group(group)
            for group in self.plan.node_groups
            if not is_karpenter(self.plan, group)
        }

    def make_node_group(self, group: NodeGroup) -> ManagedNodeGroup:
        return ManagedNodeGroup(
            self,
            cfn.logical_id("node-group", group.name),
            plan=self.plan,
            group=group,
            inputs=self.inputs,
            control_plane=self.control_plane,
            role=self.node_role,
        )

    def make_addons(self) -> dict[str, ManagedAddon]:
        return {addon.name: self.make_addon(addon) for addon in addons.wanted(self.plan)}

    def make_addon(
        self, addon: Addon, *, after: Iterable[IDependable] | None = None
    ) -> ManagedAddon:
        """An add-on; by default it waits for the system nodes, where its pods run."""
        return ManagedAddon(
            self,
            cfn.logical_id("addon", addon.name),
            addon=addon,
            plan=self.plan,
            control_plane=self.control_plane,
            after=[self.system_nodes.node_group] if after is None else after,
        )

    def make_karpenter(self) -> Karpenter | None:
        if not is_on(self.plan):
            return None
        from clustergen.targets.eks.karpenter import Karpenter  # loads further parts of the CDK

        return Karpenter(
            self,
            "Karpenter",
            plan=self.plan,
            control_plane=self.control_plane,
            node_statements=self.node_statements(),
        )

    def make_prometheus(self) -> ManagedPrometheus | None:
        workspace = self.plan.monitoring.workspace
        if workspace is None:
            return None
        from clustergen.targets.eks.monitoring import ManagedPrometheus  # likewise

        return ManagedPrometheus(
            self,
            "Prometheus",
            plan=self.plan,
            inputs=self.inputs,
            workspace=workspace,
            control_plane=self.control_plane,
        )

    def make_alert_sender(self) -> AlertSender | None:
        alerts = self.plan.monitoring.alerts
        if not prometheus.is_on(self.plan) or not alerts.wanted:
            return None
        from clustergen.targets.eks.monitoring import AlertSender  # likewise

        topic = self.inputs.value(alerts.topic or Ref(names.TOPIC_OUTPUT))
        return AlertSender(self, "Alerts", topic=topic, control_plane=self.control_plane)

    def make_software(self) -> Software:
        """The software in the cluster, after nodes for it exist."""
        from clustergen.targets.eks.software import Software  # likewise

        made = Software(
            self,
            "Software",
            plan=self.plan,
            inputs=self.inputs,
            control_plane=self.control_plane,
            outputs={name: value for name, _, value in self.outputs()},
        )
        made.steps[0].node.add_dependency(
            self.system_nodes.node_group, *(addon.addon for addon in self.addons.values())
        )
        return made

    def node_statements(self) -> list[Json]:
        """AWS permissions of nodes, besides those of every EKS node."""
        return list(access.user_scripts(self.plan))

    def outputs(self) -> Iterable[tuple[str, str, str]]:
        """Name, description and value of each output of the stack."""
        cluster = self.control_plane.cluster
        yield "ClusterName", "Name of the cluster", cluster.ref
        yield "ClusterArn", "ARN of the cluster", cluster.attr_arn
        yield "ClusterEndpoint", "Address of the Kubernetes API", cluster.attr_endpoint
        yield (
            "EksSecurityGroupId",
            "Security group that EKS made for control plane and nodes",
            self.control_plane.security_group,
        )
        yield "NodeRoleName", "Role of managed nodes", self.node_role.role_name
        if self.karpenter:
            yield (
                "KarpenterNodeRoleName",
                "Role of the nodes that Karpenter starts",
                self.karpenter.node_role.role_name,
            )
            yield (
                "KarpenterQueueName",
                "Queue of interruptions",
                self.karpenter.queue.attr_queue_name,
            )

    def _nodes_after_networking(self) -> None:
        """Create networking add-ons before nodes, which need them to become ready."""
        ready = [addon.addon for addon in self.networking.values()]
        self.system_nodes.node_group.node.add_dependency(*ready)
        for group in self.node_groups.values():
            group.node_group.node.add_dependency(*ready)

    def _output(self, name: str, description: str, value: str) -> None:
        output = cdk.CfnOutput(self, f"Output{name}", description=description, value=value)
        output.override_logical_id(name)

"""Where the nodes of a group are, and how close to each other."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from clustergen.plan.model import NodeGroup, Plan, Subnet


def of_group(scope: Construct, group: NodeGroup) -> ec2.CfnPlacementGroup | None:
    """The placement group that a node group has for itself."""
    if group.placement.kind != "cluster":
        return None
    return ec2.CfnPlacementGroup(scope, "PlacementGroup", strategy="cluster")


def name(group: NodeGroup, own: ec2.CfnPlacementGroup | None) -> str | None:
    """The name of the placement group that a node group's nodes are in."""
    return own.ref if own else group.placement.group


def subnets(plan: Plan, group: NodeGroup) -> tuple[Subnet, ...]:
    """Where the nodes of a group are started: EFA and reservations do not reach another zone."""
    alone = group.efa or group.capacity.kind not in ("on-demand", "spot")
    single = alone or group.placement.kind != "none"
    return plan.network.private[:1] if single else plan.network.private

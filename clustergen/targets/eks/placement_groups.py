"""Where the nodes of a group are, and how close to each other."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clustergen.aws import cfn
from clustergen.plan.model import NodeGroup, Plan


def for_group(scope: Construct, plan: Plan, group: NodeGroup) -> cdk.CfnResource | None:
    """The placement group that a node group has for itself."""
    if group.placement.kind != "cluster":
        return None
    tags = {"Tags": cfn.tags(plan.tags)} if plan.tags else {}
    return cdk.CfnResource(
        scope,
        "PlacementGroup",
        type="AWS::EC2::PlacementGroup",
        properties={"Strategy": "cluster", **tags},
    )


def name(group: NodeGroup, own: cdk.CfnResource | None) -> str | None:
    """The name of the placement group that a node group's nodes are in."""
    return own.ref if own else group.placement.group

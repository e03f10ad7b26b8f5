"""Placement groups of node groups."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clustergen.plan.model import NodeGroup


def for_group(scope: Construct, group: NodeGroup) -> cdk.CfnResource | None:
    """The placement group that the stack creates for a node group."""
    if group.placement.kind != "cluster":
        return None
    # Without the spec's tags: changing them would replace the placement group with its nodes.
    return cdk.CfnResource(
        scope,
        "PlacementGroup",
        type="AWS::EC2::PlacementGroup",
        properties={"Strategy": "cluster"},
    )


def name(group: NodeGroup, own: cdk.CfnResource | None) -> str | None:
    """The name of a node group's placement group."""
    return own.ref if own else group.placement.group

"""Where the nodes of a group are, and how close to each other."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clustergen.plan.model import NodeGroup


def for_group(scope: Construct, group: NodeGroup) -> cdk.CfnResource | None:
    """The placement group that a node group has for itself."""
    if group.placement.kind != "cluster":
        return None
    # Without the spec's tags: a change of them would replace it, while its nodes run in it.
    return cdk.CfnResource(
        scope,
        "PlacementGroup",
        type="AWS::EC2::PlacementGroup",
        properties={"Strategy": "cluster"},
    )


def name(group: NodeGroup, own: cdk.CfnResource | None) -> str | None:
    """The name of the placement group that a node group's nodes are in."""
    return own.ref if own else group.placement.group

"""AWS PCS: the template of `render`, and scripts of nodes."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.targets.pcs import images

from .rendered import RenderedCluster
from .scripts import NodesStack, of_bundle


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    uploads, newest = of_bundle(rendered), images.newest(rendered.plan)
    nodes = "AWS::PCS::ComputeNodeGroup"
    return [NodesStack(scope, rendered, uploads=uploads, images=newest, nodes=nodes, **props)]

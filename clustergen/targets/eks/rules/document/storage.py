"""Volumes of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_launch_template, in_node_group, rule
from clustergen.targets.eks.template import Template


@rule(
    "OVL501",
    "DiskSize in a node group with a launch template",
    why="The launch template defines the volumes. EKS rejects a node group that also has DiskSize.",
    source=limits.CREATE_NODE_GROUP,
    bad=in_node_group("DiskSize: 500"),
    good=in_launch_template(
        "BlockDeviceMappings: [{DeviceName: /dev/xvda, Ebs: {VolumeSize: 500}}]"
    ),
)
def disk_size(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        if nodes.template and "DiskSize" in nodes.group.properties:
            yield nodes.group.problem(
                ("DiskSize",),
                "DiskSize beside a launch template",
                "write BlockDeviceMappings in the launch template",
            )

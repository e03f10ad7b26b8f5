"""Logical ids of resources."""

from __future__ import annotations

from clustergen.plan.model import NodeGroup, Queue
from clustergen.services.aws import cfn

CLUSTER = "Cluster"
NODE_LOG_GROUP = "NodeLogGroup"
LOGIN = "login"
"""The name of the login node group."""


def node_group(name: str) -> str:
    return cfn.logical_id("node-group", name)


def launch_template(name: str) -> str:
    return cfn.logical_id("launch-template", name)


def placement_group(group: NodeGroup) -> str:
    return cfn.logical_id("placement-group", group.name)


def queue(queue: Queue) -> str:
    return cfn.logical_id("queue", queue.name)

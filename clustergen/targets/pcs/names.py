"""Logical ids of resources, and the id of the cluster: one of the template, or an existing one."""

from typing import Any

from clustergen.plan.model import NodeGroup, Plan, Queue
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


def cluster_id(plan: Plan) -> Any:
    """The id of the cluster as a CloudFormation value."""
    return cfn.get_att(CLUSTER, "Id") if plan.creates_cluster else plan.existing.cluster


def cluster_id_in_text(plan: Plan) -> str:
    """The id of the cluster in the text of ``Fn::Sub``."""
    return f"${{{CLUSTER}.Id}}" if plan.creates_cluster else plan.existing.cluster

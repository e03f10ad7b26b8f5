"""EC2 launch templates: what a node is, as far as a managed node group leaves it to them.

A template with any security group loses the cluster's own, which EKS adds only where there is
none; so that one is in every list. Subnets, instance profile and Spot are the node group's.
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from __future__ import annotations

from collections.abc import Sequence

import aws_cdk as cdk
from constructs import Construct

from clustergen.artifacts import Json
from clustergen.aws.launch_templates import block_type, market, network, reservation
from clustergen.eks import launch_templates
from clustergen.eks.launch_templates import LaunchTemplate
from clustergen.plan.model import NodeGroup, Plan


def for_group(
    scope: Construct,
    plan: Plan,
    group: NodeGroup,
    *,
    security_groups: Sequence[str],
    placement_group: str | None,
    user_data: str,
) -> LaunchTemplate:
    """The launch template of a node group of the spec."""
    data = {
        **network(group.interfaces, security_groups),
        **({"Placement": {"GroupName": placement_group}} if placement_group else {}),
        **reservation(group),
        **market(group),
        **block_type(group),
        **_cpu(group),
        **({"ImageId": group.image} if group.image else {}),
        "UserData": cdk.Fn.base64(user_data),
    }
    return launch_templates.make(scope, plan, group.name, group.volume, data)


def _cpu(group: NodeGroup) -> Json:
    """SMT switched off, where the type has it on."""
    if group.threads_per_core == group.type.threads_per_core:
        return {}
    threads = group.threads_per_core
    return {"CpuOptions": {"CoreCount": group.type.cores, "ThreadsPerCore": threads}}

"""EC2 launch templates: the properties of nodes that compute environments do not set.

Batch ignores InstanceType, IamInstanceProfile and the subnets of interfaces, and uses those of the
compute environment.
https://docs.aws.amazon.com/batch/latest/userguide/launch-templates.html
"""

from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws import cfn, launch_templates
from clustergen.targets.batch import limits, user_data

# Containers with a network of their own are a hop away.
METADATA_HOPS = 2


def resource(plan: Plan, group: NodeGroup) -> Json:
    data = {
        **launch_templates.instance_options(plan, METADATA_HOPS),
        **launch_templates.root_volume(
            group.volume, device=limits.ROOT_DEVICE, default_gib=limits.DEFAULT_ROOT_GIB
        ),
        **launch_templates.tag_specifications(plan, group.name, group.tags),
        **_interfaces(plan, group),
        **launch_templates.market(group),
        **launch_templates.reservation(group),
        **launch_templates.cpu(group),
        **launch_templates.user_data(user_data.for_group(plan, group)),
    }
    return launch_templates.resource(plan, group.name, data)


def has_interfaces(group: NodeGroup) -> bool:
    """Whether the launch template lists interfaces, and so the compute environment no groups.

    https://github.com/aws/aws-cdk/issues/21577
    """
    return len(group.interfaces) > 1 or group.efa


def _interfaces(plan: Plan, group: NodeGroup) -> Json:
    if not has_interfaces(group):
        return {}
    return launch_templates.network(group.interfaces, security_groups(plan, group))


def security_groups(plan: Plan, group: NodeGroup) -> list[Any]:
    """The security groups of a group's nodes."""
    return [cfn.value(id) for id in plan.security_groups_of(group)]

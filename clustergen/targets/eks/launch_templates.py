"""EC2 launch templates: the properties of nodes that managed node groups do not set.

EKS adds the security group of the cluster only to templates without any, so all lists contain it.
The node group sets subnets, instance profile and Spot.
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws.launch_templates import block_type, cpu, market, network, reservation
from clustergen.services.eks import launch_templates
from clustergen.targets.eks.eks_cluster import security_groups


def for_group(
    plan: Plan, group: NodeGroup, *, placement_group: Json | str | None, user_data: Json | str
) -> Json:
    """The launch template of a node group."""
    data = {
        **network(group.interfaces, security_groups(plan, group)),
        **({"Placement": {"GroupName": placement_group}} if placement_group else {}),
        **reservation(group),
        **market(group),
        **block_type(group),
        **cpu(group),
        **({"ImageId": group.image} if group.image else {}),
        "UserData": {"Fn::Base64": user_data},
    }
    return launch_templates.resource(plan, group.name, group.volume, data, group.tags)

"""Nodes for DNS and controllers: few, small, without taints."""

from collections.abc import Iterable, Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.members import filled
from clustergen.services.eks import control_plane, images, launch_templates
from clustergen.services.kubernetes import labels_and_taints

SYSTEM_NODES = "SystemNodes"
_LAUNCH_TEMPLATE = "SystemNodesLaunchTemplate"


def resources(plan: Plan, *, role: str, after: Iterable[str]) -> Iterator[tuple[str, Json]]:
    """A managed node group with its launch template; ``role`` is the logical id of its role.

    ``after`` are the add-ons that nodes need to become ready.
    """
    nodes = plan.kubernetes.system_nodes
    groups = {"SecurityGroupIds": control_plane.security_groups(plan)}
    yield _LAUNCH_TEMPLATE, launch_templates.resource(plan, "system", nodes.volume, groups)
    properties = {
        "ClusterName": control_plane.NAME,
        "NodegroupName": labels_and_taints.SYSTEM,
        "NodeRole": cfn.get_att(role, "Arn"),
        "Version": plan.kubernetes.version,
        "Subnets": [cfn.value(subnet.id) for subnet in plan.network.system],
        "AmiType": images.ami_type(nodes.type),
        "CapacityType": "ON_DEMAND",
        "InstanceTypes": [nodes.type.name],
        "LaunchTemplate": launch_templates.newest(_LAUNCH_TEMPLATE),
        # One more, because an update replaces nodes one by one.
        "ScalingConfig": {
            "MinSize": nodes.count,
            "MaxSize": nodes.count + 1,
            "DesiredSize": nodes.count,
        },
        "UpdateConfig": {"MaxUnavailable": 1},
        "NodeRepairConfig": {"Enabled": True},
        **filled(Tags=dict(plan.tags)),
    }
    yield SYSTEM_NODES, cfn.resource("AWS::EKS::Nodegroup", properties, after)

"""Managed node groups, one for each node group of the spec.

Names are fixed, because labels, flavors and pools refer to them. A change that EKS cannot make in
place, such as other instance types, fails because the name is in use: rename the group too.
"""

from collections.abc import Iterable, Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import of_eks
from clustergen.services.aws import cfn
from clustergen.services.aws import launch_templates as ec2
from clustergen.services.aws.members import filled, present
from clustergen.services.eks import images, launch_templates
from clustergen.services.eks.launch_templates import newest
from clustergen.services.kubernetes import labels_and_taints
from clustergen.targets.eks import eks_cluster, node_roles, size_parameters, user_data

_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
}
_CAPACITY = {"spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}
"""All others are ON_DEMAND: the launch template names reservations."""

# A job that spans a group stops with its first node, so update in few rounds, not node by node.
UPDATED_AT_ONCE = 33


def logical_id(group: NodeGroup) -> str:
    return cfn.logical_id("node-group", group.name)


def resources(plan: Plan, group: NodeGroup, *, after: Iterable[str]) -> Iterator[tuple[str, Json]]:
    """One node group of the spec, with its launch template and placement group.

    ``after`` are the add-ons that nodes need to become ready.
    """
    name = logical_id(group)
    placement = f"{name}PlacementGroup"
    if group.placement.kind == "cluster":
        yield placement, ec2.PLACEMENT_GROUP
    yield f"{name}LaunchTemplate", _launch_template(plan, group, placement)
    properties = _properties(plan, group)
    yield name, cfn.resource("AWS::EKS::Nodegroup", properties, after)


def _properties(plan: Plan, group: NodeGroup) -> Json:
    # With a custom image, EKS accepts neither an image type nor a version. Without the version,
    # nodes would not follow an update of Kubernetes; those of an existing cluster whose version
    # the spec does not have begin with that of the cluster.
    known = plan.creates_cluster or plan.wrote("kubernetes", "version")
    version = {"Version": plan.kubernetes.version} if known else {}
    standard = {**version, "AmiType": images.ami_type(group.type)}
    return {
        "ClusterName": eks_cluster.reference(plan),
        "NodegroupName": group.name,
        "NodeRole": node_roles.arn(plan, group),
        "Subnets": [cfn.value(subnet.id) for subnet in plan.subnets_of(group)],
        **({} if group.image else standard),
        "CapacityType": _CAPACITY.get(group.capacity.kind, "ON_DEMAND"),
        **present(InstanceTypes=_instance_types(group)),
        "LaunchTemplate": newest(f"{logical_id(group)}LaunchTemplate"),
        # Zero nodes by default, so that a shortage of capacity does not fail the stack of the
        # control plane.
        "ScalingConfig": {
            "MinSize": 0,
            "MaxSize": of_eks(group).most,
            "DesiredSize": cfn.ref(size_parameters.parameter(group)),
        },
        "UpdateConfig": _updates(group),
        "NodeRepairConfig": {"Enabled": plan.resilience.replace_failed_nodes},
        **filled(
            Labels=dict(labels_and_taints.labels(group)),
            Taints=_taints(group),
            Tags={**plan.tags, **group.tags},
        ),
    }


def size(group: NodeGroup) -> Json:
    """The parameter for a group's desired size, which changes independently of the spec."""
    text = f"Present number of nodes of {group.name}, which any update sends to EKS"
    return {"Type": "Number", "Default": 0, "MinValue": 0, "Description": text}


def _instance_types(group: NodeGroup) -> list[str] | None:
    """The instance types; None if the launch template has the type."""
    if group.capacity.kind == "capacity-block":
        return None
    return [type.name for type in group.types]


def _updates(group: NodeGroup) -> Json:
    """The update settings: without spare capacity, old nodes must stop before new ones start.

    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
    """
    spare = not (group.reserved or group.efa)
    return {
        "MaxUnavailablePercentage": UPDATED_AT_ONCE,
        "UpdateStrategy": "DEFAULT" if spare else "MINIMAL",
    }


def _taints(group: NodeGroup) -> list[Json]:
    return [
        {"Key": taint.key, **filled(Value=taint.value or None), "Effect": _EFFECTS[taint.effect]}
        for taint in labels_and_taints.taints(group)
    ]


def imaged(plan: Plan, managed: Iterable[NodeGroup]) -> list[str]:
    """The node groups whose image EKS chooses."""
    own = [group.name for group in managed if not group.image]
    return [*own, labels_and_taints.SYSTEM] if plan.creates_cluster else own


def _launch_template(plan: Plan, group: NodeGroup, placement: str) -> Json:
    """The properties of nodes that the node group does not set.

    It sets subnets, instance profile and Spot. EKS adds the security group of the cluster only to
    templates without any, so all lists contain it.
    https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
    """
    data = {
        **ec2.network(group.interfaces, eks_cluster.security_groups(plan, group)),
        **filled(Placement=present(GroupName=ec2.placement_group(group, placement))),
        **ec2.reservation(group),
        **ec2.market(group),
        **ec2.block_type(group),
        **ec2.cpu(group),
        **present(ImageId=group.image),
        "UserData": {"Fn::Base64": user_data.for_group(plan, group)},
    }
    return launch_templates.resource(plan, group.name, group.volume, data, group.tags)

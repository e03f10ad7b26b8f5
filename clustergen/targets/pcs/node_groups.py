"""Compute node groups: those of the spec, and one for login nodes.

Names are fixed, because users type them (``sinfo``, ``--nodelist``). So a change of instance types,
which PCS cannot make in place, fails because the name is in use: rename the group too.
"""

from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan import sizes
from clustergen.plan.model import Iam, Machine, NodeGroup, Plan, Ref
from clustergen.services.aws import cfn
from clustergen.services.aws.members import filled
from clustergen.services.foundation import access
from clustergen.targets.pcs import images, lifecycle, names, settings, subnets

_PURCHASES = {
    "spot": "SPOT",
    "capacity-block": "CAPACITY_BLOCK",
    "interruptible-reservation": "INTERRUPTIBLE_CAPACITY_RESERVATION",
}
"""All others are ONDEMAND: the launch template names reservations."""


def for_group(plan: Plan, group: NodeGroup) -> Json:
    """A node group of the spec as a resource."""
    purchase = _PURCHASES.get(group.capacity.kind, "ONDEMAND")
    # The interruption of one node ends the job of all.
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-allocation-strategy.html
    spot = {"SpotOptions": {"AllocationStrategy": group.allocation or "capacity-optimized"}}
    least = sizes.kept_by_slurm(group)
    properties = {
        **_node_group(plan, group.name, [t.name for t in group.types], least, group.max),
        **filled(Tags={**plan.tags, **group.tags}),
        "IamInstanceProfileArn": _profile(group.name, group.iam),
        "AmiId": images.image_id(group.image, group.type),
        "SubnetIds": [cfn.value(subnet.id) for subnet in subnets.group_subnets(plan, group)],
        "PurchaseOption": purchase,
        **(spot if purchase == "SPOT" else {}),
        **_slurm(plan, group),
        "NodeLifecycleActions": lifecycle.emitted(lifecycle.group_actions(plan, group)),
    }
    return _resource(plan, properties)


def for_login(plan: Plan, login: Machine) -> Json:
    """The login nodes as a resource: a static group without a queue."""
    properties = {
        **_node_group(plan, names.LOGIN, [login.type.name], login.count, login.count),
        **filled(Tags=dict(plan.tags)),
        "IamInstanceProfileArn": _profile(names.LOGIN, login.iam),
        "AmiId": images.image_id(login.image, login.type),
        "SubnetIds": [cfn.value(id) for id in subnets.login_subnets(plan, login)],
        "PurchaseOption": "ONDEMAND",
        "NodeLifecycleActions": lifecycle.emitted(lifecycle.login_actions(plan)),
    }
    return _resource(plan, properties)


def _profile(name: str, own: Iam) -> Json | str:
    """The instance profile of nodes: theirs, one with their permissions, or that of all nodes."""
    if own.instance_profile:
        return own.instance_profile
    shared: Json = cfn.value(Ref(f"{access.pcs_profile(name if own.adds else '')}Arn"))
    return shared


def _resource(plan: Plan, properties: Json) -> Json:
    # Otherwise a node could create the log group first, and the stack would fail.
    after = {"DependsOn": names.NODE_LOG_GROUP} if plan.creates_cluster else {}
    return {"Type": "AWS::PCS::ComputeNodeGroup", **after, "Properties": properties}


def _node_group(plan: Plan, name: str, types: list[str], min: int, max: int) -> dict[str, Any]:
    template = names.launch_template(name)
    return {
        "Name": name,
        "ClusterId": names.cluster_id(plan),
        "CustomLaunchTemplate": {
            "TemplateId": cfn.ref(template),
            # PCS pins the version: with a literal 1, later changes would not reach the nodes.
            "Version": cfn.get_att(template, "LatestVersionNumber"),
        },
        "InstanceConfigs": [{"InstanceType": type} for type in types],
        "ScalingConfiguration": {"MinInstanceCount": min, "MaxInstanceCount": max},
    }


def _slurm(plan: Plan, group: NodeGroup) -> Json:
    configuration = filled(
        SlurmCustomSettings=settings.as_parameters(settings.node_group(plan, group)),
        GresCustomSettings=settings.gres_records(group),
    )
    return filled(SlurmConfiguration=configuration)

"""Node groups, head and login nodes as instance groups of a CreateCluster request.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import Iam, Id, Machine, NodeGroup, Plan, Ref, Volume
from clustergen.services.aws import references
from clustergen.services.aws.members import present
from clustergen.services.fields import Field, written
from clustergen.services.foundation import hyperpod as roles
from clustergen.services.hyperpod import limits, memberships
from clustergen.services.hyperpod.options import Options

EXECUTION_ROLE = Ref(f"{roles.EXECUTION_ROLE}Arn")
SCRIPTS_BUCKET = "ScriptsBucketName"

# In the order of the API's page.
_MEMBERS = (
    *("InstanceGroupName", "InstanceType", "InstanceRequirements", "InstanceCount"),
    "MinInstanceCount",
    *("ExecutionRole", "ThreadsPerCore", "LifeCycleConfig", "InstanceStorageConfigs"),
    *("OnStartDeepHealthChecks", "TrainingPlanArn", "OverrideVpcConfig", "ScheduledUpdateConfig"),
    *("ImageId", "AutoPatchConfig", "CapacityRequirements", "NetworkInterface"),
    *("SlurmConfig", "KubernetesConfig"),
)


LAYOUT = (Field("efa_layout", "NetworkInterface.InterfaceType"),)
"""What only a group with EFA may have."""


def node_group(
    plan: Plan, group: NodeGroup, *, continuous: bool, mounts: Sequence[Json] = (), **members: Any
) -> Json:
    """A node group at full size; ``members`` are those that its target adds or changes.

    With continuous provisioning, the group is in service with its minimum number of nodes.
    """
    capacity = group.capacity
    layout = group.efa and plan.wrote(*group.at("efa_layout"))
    common = {
        "InstanceGroupName": group.name,
        **_types(group.types),
        "InstanceCount": group.max,
        "MinInstanceCount": group.min if continuous and 0 < group.min < group.max else None,
        "ExecutionRole": _role(group.iam, roles.role_of_group(plan, group)),
        "ThreadsPerCore": _threads(plan, group, group.threads_per_core),
        "InstanceStorageConfigs": [*_volume(plan, group.volume), *mounts] or None,
        "OnStartDeepHealthChecks": _health_checks(group) or None,
        "TrainingPlanArn": capacity.id if capacity.kind == "training-plan" else None,
        "ImageId": group.image,
        "CapacityRequirements": {"Spot": {}} if capacity.kind == "spot" else None,
        **(written(LAYOUT, group) if layout else {}),
    }
    return _instance_group({**common, **members})


def machine(
    plan: Plan, machine: Machine, name: str, *, mounts: Sequence[Json] = (), **members: Any
) -> Json:
    """Head or login nodes; ``members`` are those that the target adds."""
    common = {
        "InstanceGroupName": name,
        **_types((machine.type,)),
        "InstanceCount": machine.count,
        "ExecutionRole": _role(machine.iam, roles.role_of_machine(plan, str(machine.path[0]))),
        "ThreadsPerCore": _threads(plan, machine, machine.type.threads_per_core),
        "InstanceStorageConfigs": [*_volume(plan, machine.volume), *mounts] or None,
        "ImageId": machine.image,
    }
    return _instance_group({**common, **members})


def vpc(security_groups: Iterable[Id], subnets: Iterable[Id]) -> Json:
    return {
        "SecurityGroupIds": [references.text(id) for id in security_groups],
        "Subnets": [references.text(id) for id in subnets],
    }


def shared_subnets(plan: Plan) -> tuple[Id, ...]:
    """The subnet of all groups: EFA does not cross subnets.

    Of several subnets, HyperPod chooses one.
    """
    private = tuple(subnet.id for subnet in plan.network.private[: limits.MAX_SUBNETS])
    return private if plan.options_as(Options).leaves_out("one-subnet") else private[:1]


def own_network(plan: Plan, node: Machine | NodeGroup, every: Sequence[Id]) -> Json | None:
    """``OverrideVpcConfig`` of nodes with subnets or security groups of their own.

    ``every`` are the security groups of all nodes. UpdateCluster has no VpcConfig, so that groups
    that join a cluster all have their own.
    """
    if plan.creates_cluster and not node.subnets and not node.security_groups:
        return None
    return vpc(memberships.of_node(plan, node, every), node.subnets or shared_subnets(plan))


def lifecycle(prefix: str, **entry: str) -> Json:
    """The scripts that ``deploy.sh`` uploads; ``prefix`` is the hash of their contents.

    ``entry`` names the script to run: ``OnCreate``, instead of HyperPod's own set-up of the node,
    or ``OnInitComplete``, after it.
    """
    place = f"s3://{references.placeholder(SCRIPTS_BUCKET)}/lifecycle/{prefix}/"
    return {"SourceS3Uri": place, **entry}


def _instance_group(members: Json) -> Json:
    """The members that have a value, in the order of the API's page."""
    return present(**{name: members[name] for name in sorted(members, key=_MEMBERS.index)})


def _role(iam: Iam, made: str) -> str:
    return iam.role or references.text(Ref(f"{made}Arn"))


def _types(types: Sequence[InstanceType]) -> Json:
    """Instance types in order of preference."""
    found = [type.ml_name for type in types]
    if len(found) > 1:
        return {"InstanceRequirements": {"InstanceTypes": found}}
    return {"InstanceType": found[0]}


def _threads(plan: Plan, node: Machine | NodeGroup, default: int) -> int | None:
    """What the spec says, or else the ``default``, which the user may do without."""
    if plan.wrote(*node.at("threads_per_core")):
        return node.threads_per_core
    return None if plan.options_as(Options).leaves_out("threads-per-core") else default


def _volume(plan: Plan, volume: Volume) -> Iterator[Json]:
    """The second volume, if nodes have one; and the root volume, if it has a key."""
    key = present(VolumeKmsKeyId=volume.kms_key)
    if key:
        yield {"EbsVolumeConfig": {"RootVolume": True, **key}}
    if size := plan.second_volume_gib(volume):
        yield {"EbsVolumeConfig": {"VolumeSizeInGB": size, **key}}


def _health_checks(group: NodeGroup) -> list[str]:
    """The deep health checks of a group, in the API's names and order; always with ``gpu``."""
    return [name for check, name in limits.HEALTH_CHECKS.items() if check in group.health_checks]

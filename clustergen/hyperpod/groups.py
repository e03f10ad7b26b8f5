"""Node groups, head and login nodes as instance groups: what both orchestrators share."""

from __future__ import annotations

from clustergen.aws import references
from clustergen.hyperpod import limits, names, storage
from clustergen.hyperpod.request import InstanceGroup, InstanceStorage, Lifecycle, SlurmNode, Vpc
from clustergen.plan.model import Machine, NodeGroup, Plan, Ref

EXECUTION_ROLE = Ref("HyperPodExecutionRoleArn")
CLUSTER_ROLE = Ref("HyperPodClusterRoleArn")
SCRIPTS_BUCKET = "ScriptsBucketName"


def vpc(plan: Plan) -> Vpc:
    """The interfaces of all groups are in one subnet: EFA does not reach into another.

    Of several, HyperPod would choose one by itself.
    """
    return Vpc(plan.network.node_security_groups, (plan.network.private[0].id,))


def lifecycle(prefix: str, *, on_create: str = "", on_init_complete: str = "") -> Lifecycle:
    """The scripts that ``deploy.sh`` uploads; ``prefix`` is the hash of their contents."""
    source = f"s3://{references.placeholder(SCRIPTS_BUCKET)}/lifecycle/{prefix}/"
    return Lifecycle(source, on_create or None, on_init_complete or None)


def health_checks(group: NodeGroup) -> tuple[str, ...]:
    """The deep checks of a group, in the API's words and order; ``gpu`` is always checked."""
    return tuple(
        name for check, name in limits.HEALTH_CHECKS.items() if check in group.health_checks
    )


def of_group(
    plan: Plan,
    group: NodeGroup,
    *,
    slurm: SlurmNode | None = None,
    lifecycle: Lifecycle | None = None,
    mounts: tuple[InstanceStorage, ...] = (),
) -> InstanceGroup:
    """A node group at its full size; what only Kubernetes has is added by its target."""
    capacity = group.capacity
    return InstanceGroup(
        name=group.name,
        count=group.max,
        types=tuple(names.ml_name(type) for type in group.types),
        role=EXECUTION_ROLE,
        threads_per_core=group.threads_per_core,
        storage=(storage.volume(group.volume), *mounts),
        lifecycle=lifecycle,
        health_checks=health_checks(group),
        training_plan=capacity.id if capacity.kind == "training-plan" else None,
        image=group.image,
        interface_type=group.efa_layout
        if group.efa and plan.wrote(*group.at("efa_layout"))
        else None,
        spot=capacity.kind == "spot",
        slurm=slurm,
    )


def of_machine(
    machine: Machine,
    name: str,
    *,
    slurm: SlurmNode | None = None,
    lifecycle: Lifecycle | None = None,
    mounts: tuple[InstanceStorage, ...] = (),
) -> InstanceGroup:
    """Head or login nodes."""
    return InstanceGroup(
        name=name,
        count=machine.count,
        types=(names.ml_name(machine.type),),
        role=EXECUTION_ROLE,
        threads_per_core=machine.type.threads_per_core,
        storage=(storage.volume(machine.volume), *mounts),
        lifecycle=lifecycle,
        image=machine.image,
        slurm=slurm,
    )

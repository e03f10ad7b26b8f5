"""A request as the JSON of the CreateCluster API; references become ``${Name}`` placeholders."""

from __future__ import annotations

from collections.abc import Mapping

from clustergen.artifacts import Json
from clustergen.aws import references
from clustergen.aws.members import present
from clustergen.hyperpod.request import (
    EbsVolume,
    Eks,
    InstanceGroup,
    InstanceStorage,
    KubernetesNode,
    Lifecycle,
    LustreMount,
    Patching,
    Request,
    Slurm,
    SlurmNode,
    Vpc,
)


def document(request: Request) -> Json:
    """The request, members in the order of the API's own page."""
    return present(
        ClusterName=request.name,
        InstanceGroups=[_group(group) for group in request.groups],
        VpcConfig=_vpc(request.vpc),
        Tags=_tags(request.tags) or None,
        Orchestrator=_orchestrator(request.orchestrator),
        # The word None, not an absent value.
        NodeRecovery="Automatic" if request.recover else "None",
        TieredStorageConfig=_tiered(request.tiered_memory_percent),
        NodeProvisioningMode="Continuous" if request.continuous else None,
        ClusterRole=request.cluster_role and references.text(request.cluster_role),
        AutoScaling={"Mode": "Enable", "AutoScalerType": "Karpenter"}
        if request.karpenter
        else None,
    )


def _group(group: InstanceGroup) -> Json:
    several = len(group.types) > 1
    return present(
        InstanceGroupName=group.name,
        InstanceType=None if several else group.types[0],
        InstanceRequirements={"InstanceTypes": list(group.types)} if several else None,
        InstanceCount=group.count,
        MinInstanceCount=group.min_count,
        ExecutionRole=group.role and references.text(group.role),
        ThreadsPerCore=group.threads_per_core,
        LifeCycleConfig=_lifecycle(group.lifecycle),
        InstanceStorageConfigs=[_storage(item) for item in group.storage] or None,
        OnStartDeepHealthChecks=list(group.health_checks) or None,
        TrainingPlanArn=group.training_plan,
        OverrideVpcConfig=_vpc(group.vpc) if group.vpc else None,
        ScheduledUpdateConfig={"ScheduleExpression": group.update_schedule}
        if group.update_schedule
        else None,
        ImageId=group.image,
        AutoPatchConfig=_patching(group.patching),
        CapacityRequirements={"Spot": {}} if group.spot else None,
        NetworkInterface={"InterfaceType": group.interface_type} if group.interface_type else None,
        SlurmConfig=_slurm_node(group.slurm),
        KubernetesConfig=_kubernetes_node(group.kubernetes),
    )


def _lifecycle(lifecycle: Lifecycle | None) -> Json | None:
    if lifecycle is None:
        return None
    return present(
        SourceS3Uri=lifecycle.source,
        OnCreate=lifecycle.on_create,
        OnInitComplete=lifecycle.on_init_complete,
    )


def _storage(storage: InstanceStorage) -> Json:
    if isinstance(storage, EbsVolume):
        return {"EbsVolumeConfig": {"VolumeSizeInGB": storage.size_gb}}
    name = references.text(storage.dns_name)
    if isinstance(storage, LustreMount):
        mount = {"MountName": references.text(storage.mount_name)}
        return {"FsxLustreConfig": {"DnsName": name, **mount, "MountPath": storage.mount_path}}
    return {"FsxOpenZfsConfig": {"DnsName": name, "MountPath": storage.mount_path}}


def _vpc(vpc: Vpc) -> Json:
    return {
        "SecurityGroupIds": [references.text(id) for id in vpc.security_groups],
        "Subnets": [references.text(id) for id in vpc.subnets],
    }


def _slurm_node(node: SlurmNode | None) -> Json | None:
    if node is None:
        return None
    partitions = [node.partition] if node.partition else None
    return present(NodeType=node.type, PartitionNames=partitions)


def _kubernetes_node(node: KubernetesNode | None) -> Json | None:
    if node is None or not (node.labels or node.taints):
        return None
    taints = [
        present(Key=taint.key, Value=taint.value or None, Effect=taint.effect)
        for taint in node.taints
    ]
    return present(Labels=dict(node.labels) or None, Taints=taints or None)


def _patching(patching: Patching | None) -> Json | None:
    if patching is None:
        return None
    return present(
        PatchingStrategy=patching.strategy,
        DeploymentConfig=_deployment(patching) or None,
        IdleWaitWindowInSeconds=patching.idle_wait,
        DrainPolicy=present(
            DrainTimeoutInSeconds=patching.drain_timeout, OnDrainTimeout=patching.on_drain_timeout
        )
        or None,
    )


def _deployment(patching: Patching) -> Json:
    batch = patching.batch
    kind = "CAPACITY_PERCENTAGE" if batch and batch.percent else "INSTANCE_COUNT"
    policy = batch and {"MaximumBatchSize": {"Type": kind, "Value": batch.size}}
    return present(
        RollingUpdatePolicy=policy,
        WaitIntervalInSeconds=patching.pause,
        AutoRollbackConfiguration=[{"AlarmName": name} for name in patching.alarms] or None,
    )


def _orchestrator(orchestrator: Slurm | Eks | None) -> Json | None:
    if orchestrator is None:
        return None
    if isinstance(orchestrator, Eks):
        return {"Eks": {"ClusterArn": references.text(orchestrator.cluster)}}
    database = orchestrator.database
    accounting = database and {
        "Endpoint": database.endpoint,
        "Port": database.port,
        "Name": database.name,
        "SecretArn": database.secret,
    }
    return {
        "Slurm": present(SlurmConfigStrategy=orchestrator.strategy, AccountingDatabase=accounting)
    }


def _tiered(percent: int | None) -> Json | None:
    if percent is None:
        return None
    return {"Mode": "Enable", "InstanceMemoryAllocationPercentage": percent}


def _tags(tags: Mapping[str, str]) -> list[Json]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]

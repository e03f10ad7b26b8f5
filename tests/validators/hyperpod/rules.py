"""What a CreateCluster request must be, by the service's model and its documentation.

Short names of the pages that rules cite, under https://docs.aws.amazon.com/sagemaker/latest/dg/
(read 2026-11-20): [ref] sagemaker-hyperpod-ref, [pre] sagemaker-hyperpod-prerequisites,
[slurm] sagemaker-hyperpod-scaling-slurm, [eks] sagemaker-hyperpod-scaling-eks,
[cli] smcluster-getting-started-slurm-cli, [labels] sagemaker-hyperpod-eks-custom-labels-and-taints,
[spot] sagemaker-hyperpod-spot, [model] the documentation strings of botocore's model.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from clustergen.base.text_lists import words
from tests.validators.service_model import validate

Json = Mapping[str, Any]


def request_violations(request: Json) -> list[str]:
    """Every violation of a request whose placeholders are filled; empty when SageMaker takes it."""
    violations = validate("sagemaker", "CreateCluster", request)
    if violations:  # The rules read a request that has the right shape.
        return violations
    groups = request.get("InstanceGroups", [])
    return [
        *(violation for rule in _OF_CLUSTERS for violation in rule(request)),
        *(
            f"InstanceGroups[{group['InstanceGroupName']}]: {violation}"
            for group in groups
            for rule in _OF_GROUPS
            for violation in rule(request, group)
        ),
    ]


def validate_update(update: Json) -> list[str]:
    """Violations of the shape of an UpdateCluster request."""
    return [*validate("sagemaker", "UpdateCluster", update)]


def update_violations(update: Json, request: Json) -> list[str]:
    """Violations of an UpdateCluster request that makes a cluster what ``request`` says.

    VpcConfig and Tags are not among its members; all else has to be the same.
    """
    fixed = ("VpcConfig", "Tags")
    wanted = {key: value for key, value in request.items() if key not in fixed}
    return [
        *validate_update(update),
        *(
            f"{key}: not what CreateCluster says"
            for key in sorted({*wanted, *update})
            if update.get(key) != wanted.get(key)
        ),
    ]


def _slurm(request: Json) -> bool:
    return "Eks" not in request.get("Orchestrator", {})


def _continuous(request: Json) -> bool:
    return request.get("NodeProvisioningMode") == "Continuous"


def _groups(request: Json) -> Iterable[Json]:
    groups: Iterable[Json] = request.get("InstanceGroups", [])
    return groups


def _node_types(request: Json) -> Counter[str]:
    return Counter(
        group["SlurmConfig"]["NodeType"] for group in _groups(request) if "SlurmConfig" in group
    )


# The cluster ----------------------------------------------------------------------------------


def _orchestrator(request: Json) -> Iterator[str]:
    """[model] ClusterOrchestrator: exactly one; legacy clusters of Slurm remove it."""
    if "Orchestrator" in request and len(request["Orchestrator"]) != 1:
        yield f"Orchestrator: exactly one of Eks, Slurm, not {sorted(request['Orchestrator'])}"
    if not _slurm(request) and "VpcConfig" not in request:
        yield "VpcConfig: EKS clusters need it [pre]"
    if not request.get("InstanceGroups") and not request.get("RestrictedInstanceGroups"):
        yield "InstanceGroups: a cluster needs a group"


def _names(request: Json) -> Iterator[str]:
    counts = Counter(group["InstanceGroupName"] for group in _groups(request))
    yield from (f"InstanceGroups: {name} {n} times" for name, n in counts.items() if n > 1)
    keys = Counter(tag["Key"] for tag in request.get("Tags", []))
    yield from (f"Tags: {key} {n} times" for key, n in keys.items() if n > 1)


def _controllers(request: Json) -> Iterator[str]:
    """[cli] "Cluster must have exactly one InstanceGroup with Controller node type"."""
    types = _node_types(request)
    if "Slurm" in request.get("Orchestrator", {}) and types["Controller"] != 1:
        yield f"SlurmConfig: {types['Controller']} Controller groups, exactly one is needed"
    if types["Login"] > 1:
        yield f"SlurmConfig: {types['Login']} Login groups, at most one [ref]"
    if types and "Slurm" not in request.get("Orchestrator", {}):
        yield "SlurmConfig: without Orchestrator.Slurm [ref]"


def _strategy(request: Json) -> Iterator[str]:
    """[slurm] Continuous provisioning merges and takes no strategy; otherwise it is required
    [ref]."""
    slurm = request.get("Orchestrator", {}).get("Slurm")
    if slurm is None:
        return
    if _continuous(request) and "SlurmConfigStrategy" in slurm:
        yield "Orchestrator.Slurm: SlurmConfigStrategy with continuous provisioning"
    if not _continuous(request) and "SlurmConfigStrategy" not in slurm:
        yield "Orchestrator.Slurm: SlurmConfigStrategy is needed without continuous provisioning"
    if not _continuous(request) and "AccountingDatabase" in slurm:
        yield "Orchestrator.Slurm: AccountingDatabase only with continuous provisioning [model]"


def _autoscaling(request: Json) -> Iterator[str]:
    """[model] ClusterAutoScalingConfig: EKS, continuous provisioning and a role."""
    if request.get("AutoScaling", {}).get("Mode") != "Enable":
        return
    if _slurm(request):
        yield "AutoScaling: EKS only"
    if not _continuous(request):
        yield "AutoScaling: only with continuous provisioning"
    if "ClusterRole" not in request:
        yield "AutoScaling: needs ClusterRole"


def _provisioning(request: Json) -> Iterator[str]:
    if _continuous(request) and "Orchestrator" not in request:
        yield "NodeProvisioningMode: not for clusters that scripts configure [slurm]"
    if "TieredStorageConfig" in request and _slurm(request):
        yield "TieredStorageConfig: EKS only [model]"


_OF_CLUSTERS: tuple[Callable[[Json], Iterator[str]], ...] = (
    _orchestrator,
    _names,
    _controllers,
    _strategy,
    _autoscaling,
    _provisioning,
)


# A group --------------------------------------------------------------------------------------


def _types(group: Json) -> list[str]:
    several = group.get("InstanceRequirements", {}).get("InstanceTypes", [])
    return several or [t for t in (group.get("InstanceType"),) if t]


def _instances(request: Json, group: Json) -> Iterator[str]:
    """[model] One type or requirements; flexible counts and types with continuous only [eks]."""
    if ("InstanceType" in group) == ("InstanceRequirements" in group):
        yield "exactly one of InstanceType, InstanceRequirements"
    for key in ("InstanceRequirements", "MinInstanceCount"):
        if key in group and not _continuous(request):
            yield f"{key}: only with continuous provisioning"
    if group.get("MinInstanceCount", 0) > group["InstanceCount"]:
        yield "MinInstanceCount: more than InstanceCount"


def _node_type(request: Json, group: Json) -> Iterator[str]:
    """[ref] Partitions belong to compute nodes, one for each group; one controller node."""
    slurm = group.get("SlurmConfig")
    if slurm is None:
        if "Slurm" in request.get("Orchestrator", {}):
            yield "SlurmConfig: every group of a Slurm cluster needs one"
        return
    partitions = slurm.get("PartitionNames", [])
    if slurm["NodeType"] == "Compute" and len(partitions) != 1:
        yield "SlurmConfig: a Compute group has exactly one partition"
    if slurm["NodeType"] != "Compute" and partitions:
        yield "SlurmConfig: Partitions can only be assigned to Compute node types"
    if slurm["NodeType"] == "Controller" and group["InstanceCount"] != 1:
        yield "SlurmConfig: several controllers are for clusters that scripts configure [slurm]"


def _scripts(request: Json, group: Json) -> Iterator[str]:
    """[cli] OnCreate or OnInitComplete, with SourceS3Uri; EKS has OnCreate on every group."""
    config = group.get("LifeCycleConfig")
    if config is None:
        if "Slurm" not in request.get("Orchestrator", {}):
            yield "LifeCycleConfig is required for instance group"
        return
    given = [key for key in ("OnCreate", "OnInitComplete") if key in config]
    if len(given) != 1 or "SourceS3Uri" not in config:
        yield "LifeCycleConfig: SourceS3Uri and one of OnCreate, OnInitComplete"
    if "OnInitComplete" in given and "Slurm" not in request.get("Orchestrator", {}):
        yield "LifeCycleConfig: OnInitComplete is of API-driven Slurm"


def _storage(request: Json, group: Json) -> Iterator[str]:
    """[ref], [cli] File systems are of Slurm in an own VPC; one of each kind for a group."""
    configs = group.get("InstanceStorageConfigs", [])
    kinds = Counter(key for config in configs for key in config)
    for kind in ("FsxLustreConfig", "FsxOpenZfsConfig"):
        if kinds[kind] > 1:
            yield f"InstanceStorageConfigs: {kinds[kind]} of {kind}"
        if kinds[kind] and "VpcConfig" not in request:
            yield "FSx configurations are only supported for Custom VPC"
        if kinds[kind] and not _node_types(request)["Controller"]:
            yield f"{kind}: only where a group is the Controller"
    paths = Counter(c[k]["MountPath"] for c in configs for k in c if "MountPath" in c[k])
    yield from (f"MountPath: {path} {n} times" for path, n in paths.items() if n > 1)
    yield from _volumes([c["EbsVolumeConfig"] for c in configs if "EbsVolumeConfig" in c])


def _volumes(volumes: list[Json]) -> Iterator[str]:
    """[model] ClusterEbsVolumeConfig: the root volume has a key and no size, another a size."""
    roots = [volume for volume in volumes if volume.get("RootVolume")]
    if len(roots) > 1 or len(volumes) - len(roots) > 1:
        yield "EbsVolumeConfig: one root volume and one other"
    for volume in volumes:
        if volume.get("RootVolume"):
            if "VolumeKmsKeyId" not in volume or "VolumeSizeInGB" in volume:
                yield "EbsVolumeConfig: a root volume has VolumeKmsKeyId and no VolumeSizeInGB"
        elif "VolumeSizeInGB" not in volume:
            yield "EbsVolumeConfig: VolumeSizeInGB is missing"


_RESERVED = words("""
    kubernetes.io k8s.io sagemaker.amazonaws.com eks.amazonaws.com k8s.aws karpenter.sh
""")


def _kubernetes(request: Json, group: Json) -> Iterator[str]:
    """[labels] Prefixes that are the service's own; the name part is Kubernetes' own limit."""
    config = group.get("KubernetesConfig", {})
    if config and _slurm(request):
        yield "KubernetesConfig: EKS only"
    keys = [*config.get("Labels", {}), *(taint["Key"] for taint in config.get("Taints", []))]
    for key in keys:
        prefix, _, name = key.rpartition("/")
        if any(prefix == own or prefix.endswith(f".{own}") for own in _RESERVED):
            yield f"KubernetesConfig: {key} has a reserved prefix"
        if len(name) > 63:
            yield f"KubernetesConfig: {key} is longer than a name may be"
    if config.get("Taints") and group.get("OnStartDeepHealthChecks"):
        yield "KubernetesConfig: no taints beside deep health checks"


_ACCELERATED = ("ml.p", "ml.g", "ml.trn")


def _health(request: Json, group: Json) -> Iterator[str]:
    """Deep health checks are of GPUs and Trainium, and take an hour that Karpenter lacks."""
    if not group.get("OnStartDeepHealthChecks"):
        return
    if not all(type.startswith(_ACCELERATED) for type in _types(group)):
        yield "OnStartDeepHealthChecks: GPU and Trainium only"
    # Groups that Karpenter scales begin at no instances; others of the cluster may be checked.
    if request.get("AutoScaling", {}).get("Mode") == "Enable" and not group.get("InstanceCount"):
        yield "OnStartDeepHealthChecks: not with Karpenter"


def _capacity(request: Json, group: Json) -> Iterator[str]:
    """[spot] Spot is of EKS with continuous provisioning; UltraServers come by training plan."""
    spot = "Spot" in group.get("CapacityRequirements", {})
    plan = "TrainingPlanArn" in group
    if spot and (_slurm(request) or not _continuous(request)):
        yield "CapacityRequirements: Spot is for EKS with continuous provisioning"
    if spot and plan:
        yield "TrainingPlanArn: not with Spot"
    if any(type.startswith("ml.p6e-") for type in _types(group)) and not plan:
        yield "TrainingPlanArn: UltraServers come only by training plan"
    if "OverrideVpcConfig" in group and "VpcConfig" not in request:
        yield "OverrideVpcConfig: only beside VpcConfig [pre]"
    if "ImageReleaseVersion" in group and _slurm(request):
        yield "ImageReleaseVersion: EKS only [model]"
    if "ImageReleaseVersion" in group and str(group.get("ImageId", "")).startswith("ami-"):
        yield "ImageReleaseVersion: of HyperPod's own images only [model]"


# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types (2026-11): types
# of HyperPod that all have it, whatever their size.
_WITH_EFA = ("ml.p", "ml.trn1", "ml.trn2.48", "ml.g6e.48", "ml.g7e.48", "ml.g5.48", "ml.g6.48")


def _place(request: Json, group: Json) -> Iterator[str]:
    """[pre] EFA does not reach into another subnet; Karpenter's groups are not planned."""
    subnets = group.get("OverrideVpcConfig", {}).get("Subnets", [])
    if len(subnets) > 1 and any(type.startswith(_WITH_EFA) for type in _types(group)):
        yield "OverrideVpcConfig: EFA does not leave a subnet"
    scaled = request.get("AutoScaling", {}).get("Mode") == "Enable" and not group["InstanceCount"]
    if scaled and "TrainingPlanArn" in group:
        yield "TrainingPlanArn: not with Karpenter"


def _schedule(_: Json, group: Json) -> Iterator[str]:
    """Fields of cron(...): numbers for minute and hour, a day of the month or of the week."""
    written = group.get("ScheduledUpdateConfig", {}).get("ScheduleExpression")
    if written is None:
        return
    fields = written.removeprefix("cron(").removesuffix(")").split(" ")
    if written != f"cron({' '.join(fields)})" or len(fields) != 6:
        yield f"ScheduledUpdateConfig: {written} has not six fields in cron()"
        return
    for text, most, what in ((fields[0], 59, "minute"), (fields[1], 23, "hour")):
        if not text.isdigit() or int(text) > most:
            yield f"ScheduledUpdateConfig: {text} is no {what}"
    if fields[5] != "*" and not (fields[5].isdigit() and 2020 <= int(fields[5]) <= 2099):
        yield f"ScheduledUpdateConfig: {fields[5]} is no year"


def _patching(request: Json, group: Json) -> Iterator[str]:
    """[model] ClusterAutoPatchConfig: what only one of its strategies has."""
    patching = group.get("AutoPatchConfig")
    if patching is None:
        return
    drains = patching["PatchingStrategy"] == "DrainFirst"
    if drains and _slurm(request):
        yield "AutoPatchConfig: DrainFirst is for EKS"
    policy = patching.get("DeploymentConfig", {}).get("RollingUpdatePolicy", {})
    if drains and "MaximumBatchSize" not in policy:
        yield "AutoPatchConfig: DrainFirst needs MaximumBatchSize"
    if drains and "IdleWaitWindowInSeconds" in patching:
        yield "AutoPatchConfig: IdleWaitWindowInSeconds is for WhenIdle and WhenAllIdle"
    if not drains and "DrainPolicy" in patching:
        yield "AutoPatchConfig: DrainPolicy is for DrainFirst"


_OF_GROUPS: tuple[Callable[[Json, Json], Iterator[str]], ...] = (
    _instances,
    _node_type,
    _scripts,
    _storage,
    _kubernetes,
    _health,
    _capacity,
    _place,
    _schedule,
    _patching,
)

"""Members of a CreateCluster request that do not go together, whoever wrote it.

Takes any JSON: what has not even the form of a request is the schema's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.findings import Path
from clustergen.hyperpod import limits

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Breach:
    """One refusal: of which area of rules, of which group (empty: the cluster), and why."""

    area: str
    group: str
    path: Path
    """The member, from the group or the cluster on."""
    message: str
    help: str


def breaches(document: Json) -> Iterator[Breach]:
    """Every breach, those of the cluster first."""
    yield from _orchestrator(document)
    yield from _roles(document)
    yield from _autoscaling(document)
    for group in _list(document.get("InstanceGroups")):
        yield from _counts(group, document)
        yield from _storage(group, document)
        yield from _scripts(group, document)
        yield from _kubernetes(group, document)
        yield from _patches(group, document)


def _orchestrator(document: Json) -> Iterator[Breach]:
    given = document.get("Orchestrator")
    if given is None:
        return
    kinds = [kind for kind in ("Eks", "Slurm") if kind in _map(given)]
    if len(kinds) != 1:
        yield _of_cluster(
            "roles",
            "Orchestrator",
            f"the orchestrator is {' and '.join(kinds) or 'neither Slurm nor EKS'}",
            "name one of Eks and Slurm",
        )
    if not _of_eks(document):
        slurm = _map(_map(given).get("Slurm"))
        if _continuous(document) and "SlurmConfigStrategy" in slurm:
            yield _of_cluster(
                "roles",
                "Orchestrator",
                "SlurmConfigStrategy with continuous provisioning",
                "leave the strategy out, or NodeProvisioningMode",
            )
        if "AccountingDatabase" in slurm and not _continuous(document):
            yield _of_cluster(
                "roles",
                "Orchestrator",
                "AccountingDatabase without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )
    elif "VpcConfig" not in document:
        yield _of_cluster("roles", "VpcConfig", "an EKS cluster without VpcConfig", "add it")


def _roles(document: Json) -> Iterator[Breach]:
    groups = _list(document.get("InstanceGroups"))
    roles = [(group, _map(group["SlurmConfig"])) for group in groups if "SlurmConfig" in group]
    if not roles:
        return
    if _of_eks(document) or "Orchestrator" not in document:
        yield _of_cluster(
            "roles",
            "Orchestrator",
            "SlurmConfig without Slurm as orchestrator",
            "write Orchestrator: {Slurm: {}}",
        )
    controllers = [group for group, role in roles if role.get("NodeType") == "Controller"]
    logins = [group for group, role in roles if role.get("NodeType") == "Login"]
    if len(controllers) != 1:
        yield _of_cluster(
            "roles", "InstanceGroups", f"{len(controllers)} groups of controllers", "keep one"
        )
    if len(logins) > 1:
        yield _of_cluster(
            "roles", "InstanceGroups", f"{len(logins)} groups of login nodes", "keep one"
        )
    for group in controllers:
        if group.get("InstanceCount") != 1:
            yield _of_group(
                "roles",
                group,
                "InstanceCount",
                "not one controller",
                "write 1; only mode: legacy has several controllers",
            )
    for group, role in roles:
        yield from _role(group, role)


def _role(group: Json, role: Json) -> Iterator[Breach]:
    names = _list_of_any(role.get("PartitionNames"))
    if role.get("NodeType") == "Compute" and len(names) != 1:
        yield _of_group(
            "roles",
            group,
            "SlurmConfig",
            f"a compute group with {len(names)} partitions",
            "name one partition",
        )
    elif role.get("NodeType") != "Compute" and names:
        yield _of_group(
            "roles",
            group,
            "SlurmConfig",
            "partitions are of compute groups only",
            "leave PartitionNames out",
        )


def _autoscaling(document: Json) -> Iterator[Breach]:
    if _map(document.get("AutoScaling")).get("Mode") != "Enable":
        return
    lacking = [
        what
        for what, there in (
            ("EKS", _of_eks(document)),
            ("NodeProvisioningMode: Continuous", _continuous(document)),
            ("ClusterRole", "ClusterRole" in document),
        )
        if not there
    ]
    if lacking:
        yield _of_cluster(
            "kubernetes",
            "AutoScaling",
            f"autoscaling without {', '.join(lacking)}",
            "add them, or leave AutoScaling out",
        )


def _counts(group: Json, document: Json) -> Iterator[Breach]:
    kinds = [name for name in ("InstanceType", "InstanceRequirements") if name in group]
    if len(kinds) != 1:
        yield _of_group(
            "counts",
            group,
            "InstanceRequirements",
            f"{'both' if kinds else 'neither'} InstanceType and InstanceRequirements",
            "keep one of them",
        )
    least, most = group.get("MinInstanceCount"), group.get("InstanceCount")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield _of_group(
            "counts",
            group,
            "MinInstanceCount",
            f"{least} instances at the least of {most}",
            f"write {most} or less",
        )
    for name in ("MinInstanceCount", "InstanceRequirements"):
        if name in group and not _continuous(document):
            yield _of_group(
                "counts",
                group,
                name,
                f"{name} without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )
    if "OverrideVpcConfig" in group and "VpcConfig" not in document:
        yield _of_group(
            "counts",
            group,
            "OverrideVpcConfig",
            "OverrideVpcConfig without VpcConfig",
            "add VpcConfig",
        )


def _storage(group: Json, document: Json) -> Iterator[Breach]:
    items = _list(group.get("InstanceStorageConfigs"))
    for name, most in (("FsxLustreConfig", 1), ("FsxOpenZfsConfig", 1)):
        found = sum(name in item for item in items)
        if found > most:
            yield _in_storage(group, f"{found} of {name}", "keep one; mount others in a script")
        if found and _of_eks(document):
            yield _in_storage(group, f"{name} with EKS", "mount it with its CSI driver")
        if found and "VpcConfig" not in document:
            yield _in_storage(group, f"{name} without VpcConfig", "add VpcConfig")
        if found and not _of_eks(document) and not _has_controller(document):
            yield _in_storage(group, f"{name} without a group of controllers", "leave it out")
    volumes = [_map(item["EbsVolumeConfig"]) for item in items if "EbsVolumeConfig" in item]
    for root in (True, False):
        if sum(volume.get("RootVolume", False) is root for volume in volumes) > 1:
            which = "root" if root else "second"
            yield _in_storage(group, f"more than one {which} volume", "keep one")
    for volume in volumes:
        yield from _volume(group, volume)


def _volume(group: Json, volume: Json) -> Iterator[Breach]:
    if volume.get("RootVolume") is True:
        if "VolumeKmsKeyId" not in volume:
            yield _in_storage(group, "a root volume without VolumeKmsKeyId", "add the key")
        if "VolumeSizeInGB" in volume:
            yield _in_storage(group, "a root volume with a size", "leave VolumeSizeInGB out")
    elif "VolumeSizeInGB" not in volume:
        yield _in_storage(group, "a volume without VolumeSizeInGB", "add the size")


# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerClusterInstanceRolePolicy.html
# (2026-11); the second is the foundation's, which has such a name.
_READABLE = ("s3://sagemaker-", "s3://${ScriptsBucketName}/")


def _scripts(group: Json, document: Json) -> Iterator[Breach]:
    given = group.get("LifeCycleConfig")
    config, eks = _map(given), _of_eks(document)
    names = [name for name in ("OnCreate", "OnInitComplete") if name in config]
    needs_one = eks or "Orchestrator" not in document
    if given is None and not needs_one:
        return
    if len(names) != 1:
        yield _in_scripts(
            group,
            f"{' and '.join(names) or 'no script'} in LifeCycleConfig",
            "name one of OnCreate and OnInitComplete",
        )
    if "OnInitComplete" in names and needs_one:
        yield _in_scripts(
            group, "OnInitComplete, which only Slurm by the API has", "name the script OnCreate"
        )
    source = config.get("SourceS3Uri")
    if isinstance(source, str) and not source.startswith(_READABLE):
        yield _of_group(
            "bucket",
            group,
            "LifeCycleConfig",
            f"nodes may not read {source}",
            "take a bucket whose name begins with sagemaker-, or give the role s3:GetObject there",
        )
    if "SourceS3Uri" not in config:
        yield _in_scripts(group, "scripts without SourceS3Uri", "add the folder in S3")


def _kubernetes(group: Json, document: Json) -> Iterator[Breach]:
    if not _of_eks(document):
        spot = "Spot" in _map(group.get("CapacityRequirements"))
        for name, there in (
            ("KubernetesConfig", "KubernetesConfig" in group),
            ("CapacityRequirements", spot),
            ("ImageReleaseVersion", "ImageReleaseVersion" in group),
        ):
            if there:
                yield _of_group(
                    "kubernetes", group, name, f"{name} is for EKS", "leave it out, or take EKS"
                )
    elif "Spot" in _map(group.get("CapacityRequirements")) and (
        not _continuous(document) or "TrainingPlanArn" in group
    ):
        yield _of_group(
            "kubernetes",
            group,
            "CapacityRequirements",
            "Spot needs continuous provisioning and no training plan",
            "add NodeProvisioningMode: Continuous",
        )
    config = _map(group.get("KubernetesConfig"))
    if config.get("Taints") and group.get("OnStartDeepHealthChecks"):
        yield _of_group(
            "kubernetes",
            group,
            "KubernetesConfig",
            "taints on a group with deep health checks",
            "leave one of the two out",
        )


def _patches(group: Json, document: Json) -> Iterator[Breach]:
    schedule = _map(group.get("ScheduledUpdateConfig")).get("ScheduleExpression")
    if isinstance(schedule, str) and not re.fullmatch(limits.SCHEDULE, schedule):
        yield _of_group(
            "patches",
            group,
            "ScheduledUpdateConfig",
            f"{schedule} is no schedule of HyperPod",
            f"write {limits.SCHEDULE_EXAMPLE}: minute and hour as numbers, year last",
        )
    patching = _map(group.get("AutoPatchConfig"))
    strategy = patching.get("PatchingStrategy")
    if strategy == "DrainFirst":
        if not _of_eks(document):
            yield _in_patches(group, "DrainFirst is for EKS", "write WhenIdle")
        if "RollingUpdatePolicy" not in _map(patching.get("DeploymentConfig")):
            yield _in_patches(
                group,
                "DrainFirst without RollingUpdatePolicy",
                "add DeploymentConfig with MaximumBatchSize",
            )
    elif "DrainPolicy" in patching:
        yield _in_patches(group, "DrainPolicy without DrainFirst", "leave DrainPolicy out")
    if strategy == "DrainFirst" and "IdleWaitWindowInSeconds" in patching:
        yield _in_patches(group, "IdleWaitWindowInSeconds with DrainFirst", "leave it out")


def _of_cluster(area: str, member: str, message: str, help: str) -> Breach:
    return Breach(area, "", (member,), message, help)


def _of_group(area: str, group: Json, member: str, message: str, help: str) -> Breach:
    name = str(group.get("InstanceGroupName", ""))
    return Breach(area, name, (member,), f"{name}: {message}", help)


def _in_storage(group: Json, message: str, help: str) -> Breach:
    return _of_group("storage", group, "InstanceStorageConfigs", message, help)


def _in_scripts(group: Json, message: str, help: str) -> Breach:
    return _of_group("scripts", group, "LifeCycleConfig", message, help)


def _in_patches(group: Json, message: str, help: str) -> Breach:
    return _of_group("patches", group, "AutoPatchConfig", message, help)


def _has_controller(document: Json) -> bool:
    groups = _list(document.get("InstanceGroups"))
    return any(_map(g.get("SlurmConfig")).get("NodeType") == "Controller" for g in groups)


def _of_eks(document: Json) -> bool:
    return "Eks" in _map(document.get("Orchestrator"))


def _continuous(document: Json) -> bool:
    return document.get("NodeProvisioningMode") == "Continuous"


def _map(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Json]:
    return [item for item in _list_of_any(value) if isinstance(item, Mapping)]


def _list_of_any(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

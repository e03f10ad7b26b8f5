"""Instances, storage and scripts of a group."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.hyperpod.rules.breaches.breach import Breach, Json, of_group
from clustergen.hyperpod.rules.breaches.members import (
    as_map,
    continuous,
    has_controller,
    maps,
    of_eks,
)


def counts(group: Json, document: Json) -> Iterator[Breach]:
    kinds = [name for name in ("InstanceType", "InstanceRequirements") if name in group]
    if len(kinds) != 1:
        yield of_group(
            "counts",
            group,
            "InstanceRequirements",
            f"{'both' if kinds else 'neither'} InstanceType and InstanceRequirements",
            "keep one of them",
        )
    least, most = group.get("MinInstanceCount"), group.get("InstanceCount")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield of_group(
            "counts",
            group,
            "MinInstanceCount",
            f"{least} instances at the least of {most}",
            f"write {most} or less",
        )
    for name in ("MinInstanceCount", "InstanceRequirements"):
        if name in group and not continuous(document):
            yield of_group(
                "counts",
                group,
                name,
                f"{name} without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )
    if "OverrideVpcConfig" in group and "VpcConfig" not in document:
        yield of_group(
            "counts",
            group,
            "OverrideVpcConfig",
            "OverrideVpcConfig without VpcConfig",
            "add VpcConfig",
        )


def storage(group: Json, document: Json) -> Iterator[Breach]:
    items = maps(group.get("InstanceStorageConfigs"))
    for name, most in (("FsxLustreConfig", 1), ("FsxOpenZfsConfig", 1)):
        found = sum(name in item for item in items)
        if found > most:
            yield _in_storage(group, f"{found} of {name}", "keep one; mount others in a script")
        if found and of_eks(document):
            yield _in_storage(group, f"{name} with EKS", "mount it with its CSI driver")
        if found and "VpcConfig" not in document:
            yield _in_storage(group, f"{name} without VpcConfig", "add VpcConfig")
        if found and not of_eks(document) and not has_controller(document):
            yield _in_storage(group, f"{name} without a group of controllers", "leave it out")
    volumes = [as_map(item["EbsVolumeConfig"]) for item in items if "EbsVolumeConfig" in item]
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


def _in_storage(group: Json, message: str, help: str) -> Breach:
    return of_group("storage", group, "InstanceStorageConfigs", message, help)


# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerClusterInstanceRolePolicy.html
# (2026-11); the second is the foundation's, which has such a name.
_NODES_OWN = "SourceS3Uri and OnCreate, as another group has them"
_READABLE = ("s3://sagemaker-", "s3://${ScriptsBucketName}/")


def scripts(group: Json, document: Json) -> Iterator[Breach]:
    given = group.get("LifeCycleConfig")
    config, eks = as_map(given), of_eks(document)
    names = [name for name in ("OnCreate", "OnInitComplete") if name in config]
    needs_one = eks or "Orchestrator" not in document
    if given is None and not needs_one:
        return
    if not config:
        yield _in_scripts(
            group,
            "no scripts in LifeCycleConfig",
            f"write {_NODES_OWN if eks else 'SourceS3Uri, and OnCreate or OnInitComplete'}",
        )
        return
    if "OnInitComplete" in names and needs_one:
        yield _in_scripts(
            group,
            "OnInitComplete, which only Slurm by the API has",
            "leave it out, and name the script OnCreate",
        )
    elif len(names) != 1:
        yield _in_scripts(
            group,
            f"{' and '.join(names) or 'no script'} in LifeCycleConfig",
            "name one of OnCreate and OnInitComplete",
        )
    source = config.get("SourceS3Uri")
    if isinstance(source, str) and not source.startswith(_READABLE):
        yield of_group(
            "bucket",
            group,
            "LifeCycleConfig",
            f"nodes may not read {source}",
            "take a bucket whose name begins with sagemaker-, or give the role s3:GetObject there",
        )
    if "SourceS3Uri" not in config:
        yield _in_scripts(group, "scripts without SourceS3Uri", "add the folder in S3")


def _in_scripts(group: Json, message: str, help: str) -> Breach:
    return of_group("scripts", group, "LifeCycleConfig", message, help)

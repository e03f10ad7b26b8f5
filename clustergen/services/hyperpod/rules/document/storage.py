"""Volumes and file systems of instance groups, and memory for checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import Json, as_map, maps
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.rules.document import (
    EKS,
    groups,
    in_group,
    in_legacy_request,
    in_request,
    rule,
)

_CONFIGS = (
    f"{limits.INSTANCE_GROUP}"
    "#sagemaker-Type-ClusterInstanceGroupSpecification-InstanceStorageConfigs"
)
_VOLUMES = (
    "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterEbsVolumeConfig.html"
)
_FILE_SYSTEMS = ("FsxLustreConfig", "FsxOpenZfsConfig")

_LUSTRE = (
    "{FsxLustreConfig: {DnsName: fs-0a1b2c3d4e5f67890.fsx.example.com, "
    "MountName: abcdefgh, MountPath: /shared}}"
)
_ROOT = "{EbsVolumeConfig: {RootVolume: true, VolumeKmsKeyId: alias/disk}}"
_SECOND = "{EbsVolumeConfig: {VolumeSizeInGB: 500}}"


def _storage(*configs: str) -> str:
    return f"InstanceStorageConfigs: [{', '.join(configs)}]"


@rule(
    "OVL302",
    "Root volume without a key",
    why="A request describes the root volume only to encrypt it with a key of the account.",
    source=_VOLUMES,
    bad=in_group(_storage("{EbsVolumeConfig: {RootVolume: true}}")),
    good=in_group(_storage(_ROOT)),
)
def root_key(document: Document) -> Iterator[Problem]:
    for group, volume in _volumes(document):
        if volume.get("RootVolume") is True and "VolumeKmsKeyId" not in volume:
            yield _in_storage(group, "a root volume without VolumeKmsKeyId", "add the key")


@rule(
    "OVL330",
    "Root volume with a size",
    why="HyperPod determines the size of the root volume.",
    source=_VOLUMES,
    bad=in_group(
        _storage(
            "{EbsVolumeConfig: {RootVolume: true, VolumeKmsKeyId: alias/disk, VolumeSizeInGB: 500}}"
        )
    ),
    good=in_group(_storage(_ROOT)),
)
def root_size(document: Document) -> Iterator[Problem]:
    for group, volume in _volumes(document):
        if volume.get("RootVolume") is True and "VolumeSizeInGB" in volume:
            yield _in_storage(group, "a root volume with a size", "remove VolumeSizeInGB")


@rule(
    "OVL331",
    "Second volume without a size",
    why="The volume at /opt/sagemaker has no default size.",
    source=_VOLUMES,
    bad=in_group(_storage("{EbsVolumeConfig: {VolumeKmsKeyId: alias/disk}}")),
    good=in_group(_storage("{EbsVolumeConfig: {VolumeKmsKeyId: alias/disk, VolumeSizeInGB: 500}}")),
)
def volume_size(document: Document) -> Iterator[Problem]:
    for group, volume in _volumes(document):
        if volume.get("RootVolume") is not True and "VolumeSizeInGB" not in volume:
            yield _in_storage(group, "a volume without VolumeSizeInGB", "add the size")


@rule(
    "OVL329",
    "Several root or second volumes",
    why="An instance has at most one root volume and one other.",
    source=_VOLUMES,
    bad=in_group(_storage(_SECOND, _SECOND)),
    good=in_group(_storage(_ROOT, _SECOND)),
)
def volumes(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        roots = [v.get("RootVolume", False) for g, v in _volumes(document) if g == group]
        for root, name in ((True, "root"), (False, "second")):
            if sum(given is root for given in roots) > 1:
                yield _in_storage(group, f"more than one {name} volume", "keep one")


@rule(
    "OVL325",
    "Several file systems of one kind",
    why="HyperPod mounts at most one Lustre and one OpenZFS file system on a group.",
    source=_CONFIGS,
    bad=in_group(_storage(_LUSTRE, _LUSTRE)),
    good=in_group(_storage(_LUSTRE)),
)
def file_systems(document: Document) -> Iterator[Problem]:
    for group, name, count in _file_systems(document):
        if count > 1:
            yield _in_storage(group, f"{count} of {name}", "keep one; mount others in a script")


@rule(
    "OVL326",
    "File system of an instance group on EKS",
    why="On a cluster with EKS, pods mount file systems through CSI drivers.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    target=EKS,
    bad=in_group(_storage(_LUSTRE), EKS),
    good=in_group(_storage(_SECOND), EKS),
)
def file_system_on_eks(document: Document) -> Iterator[Problem]:
    for group, name, _ in _file_systems(document):
        if document.is_eks:
            yield _in_storage(group, f"{name} with EKS", "mount it with its CSI driver")


@rule(
    "OVL327",
    "File system without VpcConfig",
    why="File systems are reached only from a VPC of the account, which VpcConfig names.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    bad=in_request(f"VpcConfig: null, {groups(_storage(_LUSTRE))}"),
    good=in_group(_storage(_LUSTRE)),
)
def file_system_network(document: Document) -> Iterator[Problem]:
    for group, name, _ in _file_systems(document):
        if "VpcConfig" not in document:
            yield _in_storage(group, f"{name} without VpcConfig", "add VpcConfig")


@rule(
    "OVL328",
    "File system without a controller",
    why="HyperPod mounts file systems while it sets up Slurm, which needs a group of controllers.",
    source=limits.SLURM_API,
    bad=in_legacy_request(groups(_storage(_LUSTRE))),
    good=in_legacy_request(groups(_storage(_SECOND))),
)
def file_system_controller(document: Document) -> Iterator[Problem]:
    for group, name, _ in _file_systems(document):
        if not document.is_eks and not document.controllers:
            yield _in_storage(group, f"{name} without a group of controllers", "remove it")


@rule(
    "OVL320",
    "Memory for checkpoints on a cluster with Slurm",
    why="Only clusters with EKS keep checkpoints in the memory of nodes.",
    source=f"{limits.GUIDE}managed-tier-checkpointing.html",
    bad=in_request("TieredStorageConfig: {Mode: Enable, InstanceMemoryAllocationPercentage: 20}"),
    good=in_request("NodeRecovery: Automatic"),
)
def tiered_storage(document: Document) -> Iterator[Problem]:
    if "TieredStorageConfig" in document and not document.is_eks:
        yield document.problem(
            "TieredStorageConfig", "TieredStorageConfig works only with EKS", "remove it"
        )


def _configs(group: Group) -> list[Json]:
    return maps(group.data.get("InstanceStorageConfigs"))


def _volumes(document: Document) -> Iterator[tuple[Group, Json]]:
    for group in document.groups:
        for config in _configs(group):
            if "EbsVolumeConfig" in config:
                yield group, as_map(config["EbsVolumeConfig"])


def _file_systems(document: Document) -> Iterator[tuple[Group, str, int]]:
    """Number of file systems of a group, by kind."""
    for group in document.groups:
        for name in _FILE_SYSTEMS:
            if count := sum(name in config for config in _configs(group)):
                yield group, name, count


def _in_storage(group: Group, message: str, help: str) -> Problem:
    return group.problem("InstanceStorageConfigs", message, help)

"""Volumes and file systems of instance groups."""

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
    "Root volume with a size or without a key, or second volume without a size",
    why="A request describes the root volume, whose size HyperPod determines, only to encrypt it "
    "with a key of the account. The volume at /opt/sagemaker has no default size.",
    source=_VOLUMES,
    bad=in_group(_storage("{EbsVolumeConfig: {RootVolume: true}}")),
    good=in_group(_storage(_ROOT)),
)
def volume_members(document: Document) -> Iterator[Problem]:
    for group, volume in _volumes(document):
        is_root, is_sized = volume.get("RootVolume") is True, "VolumeSizeInGB" in volume
        if is_root and "VolumeKmsKeyId" not in volume:
            yield _in_storage(group, "a root volume without VolumeKmsKeyId", "add the key")
        if is_root and is_sized:
            yield _in_storage(group, "a root volume with a size", "remove VolumeSizeInGB")
        if not is_root and not is_sized:
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
    for group, name, count in mounted(document):
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
    for group, name, _ in mounted(document):
        if document.is_eks:
            yield _in_storage(group, f"{name} with EKS", "mount it with its CSI driver")


@rule(
    "OVL328",
    "File system without a controller",
    why="HyperPod mounts file systems while it sets up Slurm, which needs a group of controllers.",
    source=limits.SLURM_API,
    bad=in_legacy_request(groups(_storage(_LUSTRE))),
    good=in_legacy_request(groups(_storage(_SECOND))),
)
def file_system_controller(document: Document) -> Iterator[Problem]:
    for group, name, _ in mounted(document):
        if not document.is_eks and not document.controllers:
            yield _in_storage(group, f"{name} without a group of controllers", "remove it")


def _configs(group: Group) -> list[Json]:
    return maps(group.data.get("InstanceStorageConfigs"))


def _volumes(document: Document) -> Iterator[tuple[Group, Json]]:
    for group in document.groups:
        for config in _configs(group):
            if "EbsVolumeConfig" in config:
                yield group, as_map(config["EbsVolumeConfig"])


def mounted(document: Document) -> Iterator[tuple[Group, str, int]]:
    """Number of file systems of a group, by kind."""
    for group in document.groups:
        for name in _FILE_SYSTEMS:
            if count := sum(name in config for config in _configs(group)):
                yield group, name, count


def _in_storage(group: Group, message: str, help: str) -> Problem:
    return group.problem("InstanceStorageConfigs", message, help)

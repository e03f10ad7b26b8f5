"""Existing file systems of a plan, and what the account says about them."""

from collections.abc import Mapping
from typing import Final

from clustergen.base.account import Answer
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.plan.model import Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage

FSX: Final = "fsx:DescribeFileSystems"
CACHES: Final = "fsx:DescribeFileCaches"
EFS: Final = "efs:DescribeFileSystems"
EFS_POLICY: Final = "efs:DescribeFileSystemPolicy"
MOUNT_TARGETS: Final = "efs:DescribeMountTargets"
MOUNT_TARGET_GROUPS: Final = "efs:DescribeMountTargetSecurityGroups"
INTERFACES: Final = "ec2:DescribeNetworkInterfaces"
DESCRIPTIONS: Final = (FSX, CACHES, EFS)
CALLS: Final = (*DESCRIPTIONS, MOUNT_TARGETS, MOUNT_TARGET_GROUPS, INTERFACES)

KINDS: Final[Mapping[type[Storage], str]] = {
    Lustre: "LUSTRE",
    OpenZfs: "OPENZFS",
    Ontap: "ONTAP",
    FileCache: "LUSTRE",
    Efs: "EFS",
}
"""The type that FSx gives for each kind of storage."""


def given(plan: Plan) -> list[Storage]:
    """The file systems of FSx and EFS that exist already."""
    return [item for item in plan.storage if item.existing and type(item) in KINDS]


def describe(case: Case, item: Storage) -> Answer | None:
    """What the account says about a file system; None if it does not exist."""
    id, member = str(item.id), "FileSystems"
    match item:
        case Efs():
            answer = case.find(EFS, FileSystemId=id)
        case FileCache():
            answer, member = case.find(CACHES, FileCacheIds=[id]), "FileCaches"
        case _:
            answer = case.find(FSX, FileSystemIds=[id])
    return next(iter((answer or {}).get(member, ())), None)


def mount_targets(case: Case, item: Efs) -> list[Answer]:
    """The mount targets of EFS; none if it does not exist."""
    if describe(case, item) is None:
        return []
    return case.every(MOUNT_TARGETS, "MountTargets", FileSystemId=str(item.id))


def security_groups(case: Case, item: Storage) -> set[str]:
    """The security groups of a file system, which FSx shows on its network interfaces."""
    if isinstance(item, Efs):
        ids = [target["MountTargetId"] for target in mount_targets(case, item)]
        answers = (case.ask(MOUNT_TARGET_GROUPS, MountTargetId=id) for id in ids)
        return {group for answer in answers for group in answer.get("SecurityGroups", ())}
    found = describe(case, item) or {}
    interfaces = found.get("NetworkInterfaceIds", ())[:_ENOUGH]
    if not interfaces:
        return set()
    wanted = network.filtered("network-interface-id", interfaces)
    shown = case.every(INTERFACES, "NetworkInterfaces", Filters=wanted)
    return {group["GroupId"] for each in shown for group in each.get("Groups", ())}


_ENOUGH: Final = 20
"""Interfaces to look at: a large Lustre file system has one for each server, all alike."""

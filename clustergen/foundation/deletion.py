"""What a deletion of the cluster deletes besides it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.plan.model import Ebs, Plan, Storage
from clustergen.words import word_set

_DATA: Final = word_set("""
    AWS::CloudFormation::Stack AWS::DynamoDB::Table AWS::EC2::Volume AWS::ECR::Repository
    AWS::EFS::FileSystem AWS::FSx::FileSystem AWS::FSx::StorageVirtualMachine AWS::FSx::Volume
    AWS::RDS::DBCluster AWS::RDS::DBInstance AWS::S3::Bucket
""")
"""Of nested stacks, a template does not say what is in them."""
_STAYS: Final = ("Retain", "RetainExceptOnCreate", "Snapshot")


def data(plan: Plan) -> list[str]:
    """The mounts of the cluster's own file systems, and resources with data in its stack."""
    mounts = [each.mount for each in plan.storage if _ends(each)]
    return mounts + [
        name
        for name, resource in _added(plan)
        if resource.get("Type") in _DATA and resource.get("DeletionPolicy") not in _STAYS
    ]


def besides(plan: Plan) -> str:
    """The end of a sentence that says that the cluster is deleted."""
    lost = data(plan)
    gone = ["the network of its stack"] if _has_network(plan) else []
    gone += [f"{', '.join(lost)} with all data"] if lost else []
    if not gone:
        return "; network and data stay"
    return f"; with it go {', and '.join(gone)}; other data stays"


def _ends(item: Storage) -> bool:
    if item.existing or item.retain:
        return False
    return not item.ends_as_snapshot if isinstance(item, Ebs) else item.by_cluster


def _has_network(plan: Plan) -> bool:
    return any(resource.get("Type") == "AWS::EC2::VPC" for _, resource in _added(plan))


def _added(plan: Plan) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The resources that only the overlay has, such as those of an adopted stack."""
    found = plan.overlay.get("Resources") if plan.overlay else None
    for name, resource in found.items() if isinstance(found, Mapping) else ():
        if isinstance(resource, Mapping) and "Type" in resource:
            yield str(name), resource

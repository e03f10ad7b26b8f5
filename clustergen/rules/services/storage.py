"""File systems that exist already."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import FileCache, Lustre, Ontap, Plan
from clustergen.rules.services import rule


@rule(
    "STG052",
    "Existing storage without its DNS or mount name",
    why="Nodes mount it with a name that the id of the file system does not tell. ParallelCluster "
    "asks the service for it; elsewhere the spec has to give it.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html",
    target="pcs",
    bad="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, "
    "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}]",
)
def mount_name(plan: Plan) -> Iterator[Problem]:
    source, kinds = plan.limits.unmounted_source, plan.limits.unmounted
    for item in plan.storage:
        if not item.existing:
            continue
        cache = isinstance(item, Lustre | FileCache) and "fsx-lustre" in kinds
        if cache and isinstance(item, Lustre | FileCache) and item.mount_name is None:
            yield Problem(
                item.at("existing"),
                f"the mount name of {item.id} is needed to mount it",
                help="add mount_name: ..., the MountName of aws fsx describe-file-systems",
                source=source,
            )
        elif isinstance(item, Ontap) and "fsx-ontap" in kinds and item.dns_name is None:
            yield Problem(
                item.at("existing"),
                f"the DNS name of the storage virtual machine of {item.id} is needed to mount it",
                help="add dns_name: svm-....fs-....fsx.REGION..., from "
                "aws fsx describe-storage-virtual-machines",
                source=source,
            )

"""What nodes must know of existing storage to mount it."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import FileCache, Lustre, Ontap, Plan
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import rule


@rule(
    "STG201",
    "Existing storage without the name to mount it by",
    why="PCS mounts nothing: scripts on the nodes do. They need names that cannot be derived from "
    "the id of a file system.",
    source=f"{USER_GUIDE}cng-node-lifecycle-actions-vetted-scripts.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, "
    "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}]",
)
def missing_name(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if not item.existing:
            continue
        if isinstance(item, Lustre | FileCache) and item.mount_name is None:
            yield Problem(
                item.at("existing"),
                f"the mount name of {item.id} is needed to mount it",
                help="add mount_name: ..., the MountName of aws fsx describe-file-systems",
            )
        elif isinstance(item, Ontap) and item.dns_name is None:
            yield Problem(
                item.at("existing"),
                f"the DNS name of the storage virtual machine of {item.id} is needed to mount it",
                help="add dns_name: svm-....fs-....fsx.REGION..., from "
                "aws fsx describe-storage-virtual-machines",
            )

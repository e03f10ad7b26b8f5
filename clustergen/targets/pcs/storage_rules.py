"""What nodes must know of storage, since they mount it themselves."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import FileCache, Lustre, Ontap, Plan
from clustergen.targets.pcs.limits import USER_GUIDE

NAMELESS = Rule(
    code="STG201",
    title="Existing storage without the name it is mounted by",
    why="PCS mounts nothing: scripts on the nodes do, with names that the id of a file system does "
    "not tell.",
    source=f"{USER_GUIDE}cng-node-lifecycle-actions-vetted-scripts.html",
    target="pcs",
    bad="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, "
    "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}]",
)
RULES = (NAMELESS,)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for item in plan.storage:
        if not item.existing:
            continue
        if isinstance(item, Lustre | FileCache) and item.mount_name is None:
            yield NAMELESS.at(
                item.at("existing"),
                f"the mount name of {item.id} is needed to mount it",
                help="add mount_name: ..., the MountName of aws fsx describe-file-systems",
            )
        elif isinstance(item, Ontap) and item.dns_name is None:
            yield NAMELESS.at(
                item.at("existing"),
                f"the DNS name of the storage virtual machine of {item.id} is needed to mount it",
                help="add dns_name: svm-....fs-....fsx.REGION..., from "
                "aws fsx describe-storage-virtual-machines",
            )

"""Names without which nodes cannot mount existing storage by themselves.

ParallelCluster asks the services for them; a target whose nodes run ``mount`` has to know them, and
calls :func:`nameless` with a rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import FileCache, Lustre, Ontap, Plan


def nameless(plan: Plan, rule: Rule) -> Iterator[Finding]:
    """A finding of ``rule`` for existing storage that lacks a name which its id does not tell."""
    for item in plan.storage:
        if not item.existing:
            continue
        if isinstance(item, Lustre | FileCache) and item.mount_name is None:
            yield rule.at(
                item.at("existing"),
                f"the mount name of {item.id} is needed to mount it",
                help="add mount_name: ..., the MountName of aws fsx describe-file-systems",
            )
        elif isinstance(item, Ontap) and item.dns_name is None:
            yield rule.at(
                item.at("existing"),
                f"the DNS name of the storage virtual machine of {item.id} is needed to mount it",
                help="add dns_name: svm-....fs-....fsx.REGION..., from "
                "aws fsx describe-storage-virtual-machines",
            )

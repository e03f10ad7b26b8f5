"""What nodes must know of storage, since they mount it themselves."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.rules.storage.self_mounted import nameless
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
    yield from nameless(plan, NAMELESS)

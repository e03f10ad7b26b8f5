"""FSX013: intelligent-tiering has no size."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new

RULE = Rule(
    code="FSX013",
    title="Size with intelligent-tiering",
    why="Intelligent-tiering holds what is stored and bills that; the API refuses StorageCapacity.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/intelligent-tiering-file-systems.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, storage_class: intelligent-tiering, size: 4800GiB}""",
    good="storage: [{mount: /fsx, type: fsx-lustre, storage_class: intelligent-tiering}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.storage_class == "INTELLIGENT_TIERING" and item.size_gib is not None:
            yield RULE.at(
                item.at("size"),
                "a file system with intelligent-tiering has no size",
                help="leave size out; throughput is what is provisioned",
            )

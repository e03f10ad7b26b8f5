"""FSX007: an EFA-enabled file system that no node reaches over EFA."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import of

RULE = Rule(
    code="FSX007",
    title="EFA-enabled file system, but no node has EFA",
    why="Every client would use TCP, while the file system is held to the large sizes of EFA.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    severity=Severity.WARNING,
    bad="""node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]""",
    good="""node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: false}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    if any(group.efa for group in plan.node_groups):
        return
    for item in of(plan, Lustre):
        if item.efa:
            yield RULE.at(
                item.at("efa"),
                f"no node group has EFA to reach {item.mount} with",
                help="write efa: false, or take a node group whose type has EFA",
            )

"""FSX011: where Amazon FSx is known to be."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.services import SERVICES, available
from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import FileCache, Lustre, Ontap, OpenZfs, Plan

RULE = Rule(
    code="FSX011",
    title="Amazon FSx is not known to be in the region",
    why="A file system is in the region of its clients. The list of regions grows, so this is a "
    "warning.",
    source="https://docs.aws.amazon.com/general/latest/gr/fsxn.html",
    severity=Severity.WARNING,
    bad="""region: me-south-1
network: {zone: mes1-az1}
head_node: {instance_type: m6i.4xlarge}
node_groups: [{name: h200, instance_type: m6i.4xlarge, count: 2}]
storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB}]""",
    good="""region: me-south-1
network: {zone: mes1-az1}
head_node: {instance_type: m6i.4xlarge}
node_groups: [{name: h200, instance_type: m6i.4xlarge, count: 2}]
storage: [{mount: /home, type: efs}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    if available("fsx", plan.region) is not False:
        return
    near = ", ".join(SERVICES["fsx"].nearest(plan.region)[:4])
    for item in plan.storage:
        if isinstance(item, Lustre | OpenZfs | Ontap | FileCache):
            yield RULE.at(
                item.at("type"),
                f"{plan.region} is not known to have Amazon FSx",
                help=f"efs is there; FSx is in {near}",
            )

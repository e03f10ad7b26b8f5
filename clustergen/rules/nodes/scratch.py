"""STG050: scratch needs local disks."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="STG050",
    title="Scratch on a type without local NVMe",
    why="Scratch is the local instance store; without one the folder would fill the root volume.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/InstanceStorage.html",
    bad="node_groups: [{name: h200, instance_type: m7i.48xlarge, scratch: /scratch}]",
    good="node_groups: [{name: h200, instance_type: m7i.48xlarge}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        for type in group.types:
            if group.scratch and not type.disk_count:
                yield RULE.at(
                    group.at("scratch"),
                    f"{type.name} has no local NVMe",
                    help="leave scratch out, or take a type with local disks",
                )

"""CAP002: the type is sold in the way the group buys it."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import catalog
from clustergen.catalog import InstanceType
from clustergen.findings import Finding, Rule
from clustergen.plan.model import CapacityKind, Plan

RULE = Rule(
    code="CAP002",
    title="The type is not sold this way",
    why="EC2 offers each type as On-Demand, Spot or Capacity Block, and not all of them each way.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html"
    "#API_InstanceTypeInfo_Contents",
    bad="node_groups: [{name: h200, instance_type: hpc7a.96xlarge, capacity: spot}]",
    good="node_groups: [{name: h200, instance_type: hpc7a.96xlarge, capacity: on-demand}]",
)

# A reservation holds On-Demand capacity; a training plan is SageMaker's, with types of its own.
_CLASS: dict[CapacityKind, str] = {
    "on-demand": "on-demand",
    "spot": "spot",
    "reservation": "on-demand",
    "reservation-group": "on-demand",
    "interruptible-reservation": "on-demand",
    "capacity-block": "capacity-block",
}


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        wanted = _CLASS.get(group.capacity.kind)
        for type in group.types:
            if wanted and wanted not in type.usage_classes:
                yield RULE.at(
                    group.at("capacity"),
                    f"{type.name} is not sold as {wanted}",
                    help=_help(type, wanted),
                )


def _help(type: InstanceType, wanted: str) -> str:
    sold = f"{type.name} is sold as {', '.join(type.usage_classes)}"
    if type.hyperpod and "on-demand" not in type.usage_classes:
        sold += ", and by HyperPod as training_plan"
    if wanted != "capacity-block" or type.accelerator is None:
        return sold
    same = [
        other.name
        for other in catalog.every()
        if other.capacity_block
        and other.accelerator
        and other.accelerator.manufacturer == type.accelerator.manufacturer
    ]
    return f"{sold}; Capacity Blocks exist for {', '.join(same)}"

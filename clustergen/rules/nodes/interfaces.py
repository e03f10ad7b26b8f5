"""NIC002, NIC003: EFA that is asked for takes effect, and is not left out unsaid."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan

WITHOUT = Rule(
    code="NIC002",
    title="A form of EFA interfaces without EFA",
    why="efa_layout says how the EFA interfaces look; without EFA there are none.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    severity=Severity.WARNING,
    bad="node_groups: [{name: h200, efa: false, efa_layout: efa-only}]",
    good="node_groups: [{name: h200, efa: true, efa_layout: efa-only}]",
)
OFF = Rule(
    code="NIC003",
    title="EFA is off on nodes made for it",
    why="Training over several nodes without EFA falls back to TCP on a fraction of the bandwidth.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    severity=Severity.WARNING,
    bad="node_groups: [{name: h200, efa: false}]",
    good="node_groups: [{name: h200, efa: auto}]",
)
RULES = (WITHOUT, OFF)


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        if group.efa:
            continue
        if plan.wrote(*group.at("efa_layout")):
            yield WITHOUT.at(
                group.at("efa_layout"),
                "there are no EFA interfaces to lay out",
                help="leave it out",
            )
        if _made_for_it(group) and plan.wrote(*group.at("efa")):
            yield OFF.at(
                group.at("efa"),
                f"{group.type.name} has {group.type.network_gbps:g} Gbit/s of EFA that stay unused",
                help="write efa: auto",
            )


def _made_for_it(group: NodeGroup) -> bool:
    """Whether jobs are likely to span nodes: several of them, each with several fabric cards.

    NCCL does not work over MIG partitions, so that those have no use for EFA.
    """
    several = group.max > 1 and group.type.max_efa > 1
    return several and group.type.accelerator is not None and not group.mig

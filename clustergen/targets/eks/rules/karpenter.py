"""What nodes that Karpenter starts do not have."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.kubernetes import karpenter
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import limits

_ON = "kubernetes: {autoscaler: karpenter}"

LAYOUT = Rule(
    code="NIC501",
    title="EFA interfaces in a form that Karpenter does not make",
    why="The interfaces of a node class are of type interface or efa-only, the first of them of "
    "type interface.",
    source=f"{limits.KARPENTER}#specnetworkinterfaces",
    target="eks",
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, efa_layout: efa}}]",
    good=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, efa_layout: efa-only}}]",
)
PLACEMENT = Rule(
    code="PLC500",
    title="Placement group for nodes that Karpenter starts",
    why="A node class names a placement group that exists; Karpenter makes none.",
    source=f"{limits.KARPENTER}#specplacementgroupselector",
    severity=Severity.WARNING,
    target="eks",
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, placement: cluster}}]",
    good=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, placement: {{group: held}}}}]",
)
LEFT_OUT = Rule(
    code="CAP506",
    title="Setting that nodes of Karpenter do not have",
    why="Node classes have no option for SMT, those of the bundle carry no scripts, and repair of "
    "nodes is young.",
    source=limits.KARPENTER,
    severity=Severity.WARNING,
    target="eks",
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, threads_per_core: 1}}]",
    good=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}}}]",
)
RULES = (LAYOUT, PLACEMENT, LEFT_OUT)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for group in karpenter.groups(plan):
        yield from _interfaces(group)
        yield from _placement(plan, group)
        yield from _left_out(plan, group)


def _interfaces(group: NodeGroup) -> Iterator[Finding]:
    if any(interface.type == "efa" for interface in group.interfaces):
        yield LAYOUT.at(
            group.at("efa_layout"),
            f"Karpenter makes no interfaces of type efa for {group.name}",
            help=f"write efa_layout: efa-only, or count: {group.max}",
        )


def _placement(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    if group.placement.kind != "cluster":
        return
    written = plan.wrote(*group.at("placement"))
    yield PLACEMENT.at(
        group.at("placement") if written else group.at("count"),
        f"Karpenter makes no placement group for {group.name}",
        help="write placement: {group: NAME} with one of yours, or placement: none",
        severity=None if written else Severity.NOTE,
    )


def _left_out(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    if group.threads_per_core != group.type.threads_per_core:
        yield LEFT_OUT.at(
            group.at("threads_per_core"),
            f"Karpenter leaves SMT of {group.name} as it is",
            help=f"leave it out, or write count: {group.max}",
        )
    if plan.wrote("resilience", "replace_failed_nodes") and plan.resilience.replace_failed_nodes:
        yield LEFT_OUT.at(
            ("resilience", "replace_failed_nodes"),
            f"nodes of {group.name}, which Karpenter starts, are not repaired",
            help="turn on the feature gate NodeRepair of Karpenter, which is alpha",
        )
    for script in plan.software.scripts:
        if group.name in script.node_groups and "compute" in script.on:
            yield LEFT_OUT.at(
                (*script.path, "run"),
                f"nodes of {group.name}, which Karpenter starts, do not run it",
                help=f"write count: {group.max} in {group.name}, or make an image of your own",
            )

"""EFA interfaces, health checks, and what happens to failed nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import warning


@warning(
    "NIC201",
    "EFA interfaces of a type that PCS does not document",
    why="The PCS pages show interfaces of type efa only. Users who tried efa-only reported that it "
    "did not reach the nodes.",
    source=f"{USER_GUIDE}working-with_networking_efa_create-lt.html",
    bad="node_groups: [{name: h200, efa_layout: efa-only}]",
)
def chosen_efa_only(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if _has_efa_only(group) and _chose_efa_only(plan, group):
            addresses = sum("efa" in card.interface_types for card in group.type.cards)
            yield Problem(
                group.at("efa_layout"),
                f"{group.name} has efa-only interfaces",
                help=f"write efa; it uses {addresses} addresses a node",
                fix=unsafe(put(group.at("efa_layout"), "efa")),
            )


@warning(
    "NIC202",
    "Instance type whose EFA interfaces are efa-only",
    why="The fastest network cards of the type support nothing else, and PCS documents interfaces "
    "of type efa only: try a small node group first.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    bad="node_groups: [{name: gb200, instance_type: p6e-gb200.36xlarge, count: 18, "
    "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
)
def forced_efa_only(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if _has_efa_only(group) and not _chose_efa_only(plan, group):
            yield Problem(
                group.at("instance_type"),
                f"{group.type.name} has network cards that are efa-only",
                help="start with a few nodes, and check `fi_info -p efa` on them",
            )


def _has_efa_only(group: NodeGroup) -> bool:
    return any(interface.type == "efa-only" for interface in group.interfaces)


def _chose_efa_only(plan: Plan, group: NodeGroup) -> bool:
    return plan.wrote(*group.at("efa_layout")) and group.efa_layout == "efa-only"

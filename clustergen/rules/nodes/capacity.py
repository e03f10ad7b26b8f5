"""Node counts, reservations and Capacity Blocks."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Problem, Severity, drop, put, rule, safe, unsafe, warning
from clustergen.facts.catalog import ultraservers
from clustergen.plan.model import NodeGroup, Plan

_LARGEST_BLOCK = 64
"""Instances: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"""
_TWO_GROUPS = """node_groups:
  - {{name: h200, capacity: {{{}: cr-0a1b2c3d4e5f67890}}}}
  - name: other
    instance_type: p5en.48xlarge
    count: 2
    capacity: {{reservation: {}}}"""


@rule(
    "CAP005",
    "A reservation holds one instance type",
    why="A Capacity Reservation, Capacity Block or training plan is for one type; the other types "
    "of the group could never start.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html",
    bad="""node_groups:
  - name: h200
    instance_type: null
    instance_types: [g6e.12xlarge, g6.12xlarge]
    capacity: {reservation: cr-0a1b2c3d4e5f67890}""",
)
def reserved_type(plan: Plan) -> Iterator[Problem]:
    for group, first in _reserved(plan, plans=True):
        if len(group.types) > 1:
            yield Problem(
                group.at("instance_types"),
                f"{group.capacity.id} holds one type, the group has {len(group.types)}",
                help="write instance_type with the type of the reservation",
                fix=unsafe(
                    drop(group.at("instance_types")),
                    put((*group.path, "instance_type"), group.type.name),
                ),
            )
        if first.type != group.type:
            yield Problem(
                group.at("capacity"),
                f"{group.capacity.id} holds one type, and {first.name!r} starts {first.type.name} "
                f"from it",
                help=f"name a reservation of {group.type.name}",
            )


@warning(
    "CAP006",
    "Two node groups share a reservation",
    why="The groups compete for the same instances: together they cannot grow to their maximum "
    "unless the reservation holds both.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html",
    bad=_TWO_GROUPS.format("reservation", "cr-0a1b2c3d4e5f67890"),
    good="node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]",
)
def shared_reservation(plan: Plan) -> Iterator[Problem]:
    for group, first in _reserved(plan):
        alike = first.type == group.type and first.capacity.kind == group.capacity.kind
        if first is not group and alike:
            yield Problem(
                group.at("capacity"),
                f"{group.capacity.id} is used by {first.name!r} too",
                help=f"together they start up to {first.max + group.max} nodes from it",
            )


@rule(
    "CAP013",
    "One id for two kinds of reservation",
    why="An id is that of an On-Demand Capacity Reservation, of a Capacity Block, or of an "
    "interruptible reservation. Instances are requested in another way for each.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html",
    bad=_TWO_GROUPS.format("capacity_block", "cr-0a1b2c3d4e5f67890"),
    good=_TWO_GROUPS.format("capacity_block", "cr-0a1b2c3d4e5f67891"),
)
def two_kinds(plan: Plan) -> Iterator[Problem]:
    for group, first in _reserved(plan):
        if group.capacity.kind != first.capacity.kind:
            yield Problem(
                group.at("capacity"),
                f"{group.capacity.id} is a {first.capacity.title} in {first.name!r}, a "
                f"{group.capacity.title} here",
                help="write the same kind in both, as aws ec2 describe-capacity-reservations "
                "shows it",
            )


@rule(
    "CAP014",
    "Not a resource group of the cluster's region",
    why="Reservations are grouped by AWS Resource Groups, in the region where they are.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html",
    bad="""node_groups:
  - {name: h200, capacity:
     {reservation_group: "arn:aws:resource-groups:us-west-2:111122223333:group/r"}}""",
    good="""node_groups:
  - {name: h200, capacity:
     {reservation_group: "arn:aws:resource-groups:us-east-1:111122223333:group/r"}}""",
)
def reservation_group(plan: Plan) -> Iterator[Problem]:
    start = f"arn:{plan.partition}:resource-groups:{plan.region}:"
    for group in plan.node_groups:
        arn = group.capacity.id or ""
        of_group = group.capacity.kind == "reservation-group"
        if of_group and not re.fullmatch(rf"{re.escape(start)}[0-9]{{12}}:group/[\w.-]+", arn):
            yield Problem(
                group.at("capacity", "reservation_group"),
                f"{arn} is not a resource group in {plan.region}",
                help=f"write {start}ACCOUNT:group/NAME",
            )


@warning(
    "CAP007",
    "More nodes than a Capacity Block can hold",
    why="A Capacity Block has at most 64 instances, so a larger group can never fill from it, and "
    "one with more static nodes never starts.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    bad="node_groups: [{name: h200, count: 65, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, count: 64, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
)
def block_size(plan: Plan) -> Iterator[Problem]:
    for group, _ in _reserved(plan):
        if group.capacity.kind == "capacity-block" and group.max > _LARGEST_BLOCK:
            yield Problem(
                group.at("count"),
                f"{group.max} nodes from one Capacity Block",
                help=f"at most {_LARGEST_BLOCK}: split the group, one block each",
                severity=Severity.ERROR if group.min > _LARGEST_BLOCK else None,
            )


def _reserved(plan: Plan, *, plans: bool = False) -> Iterator[tuple[NodeGroup, NodeGroup]]:
    """Each group with a reservation of its own, and the first group with the same one.

    ``plans`` is whether training plans are reservations, too.
    """
    first: dict[str, NodeGroup] = {}
    for group in plan.node_groups:
        id, planned = group.capacity.id, plans and group.capacity.kind == "training-plan"
        if id is not None and (planned or not id.startswith("arn:")):
            yield group, first.setdefault(id, group)


@rule(
    "CAP008",
    "Maximum count below the minimum",
    why="Every service rejects a group with a minimum above its maximum.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_ScalingConfigurationRequest.html",
    bad="node_groups: [{name: h200, count: {min: 4, max: 2}}]",
)
def bounds(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.max < group.min:
            yield Problem(
                group.at("count"),
                f"a minimum of {group.min} above a maximum of {group.max}",
                help=f"write {{min: {group.max}, max: {group.min}}}",
                fix=safe(put(group.at("count"), {"min": group.max, "max": group.min})),
            )


@rule(
    "CAP009",
    "Not a whole number of UltraServers",
    why="P6e-GB200 is sold as UltraServers of 9 or 18 instances that share one NVLink domain.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-ultraservers.html",
    bad="""node_groups:
  - {name: h200, instance_type: p6e-gb200.36xlarge, count: 16,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)
def whole_ultraservers(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if not group.type.nvlink_domain:
            continue
        # Larger UltraServers have a multiple of the smallest.
        smallest = ultraservers.containing(group.type.name)[0].instances
        if extra := group.max % smallest:
            below, above = group.max - extra, group.max - extra + smallest
            nearest = f"{below} or {above}" if below else str(above)
            count = above if group.static else {"min": group.min, "max": above}
            yield Problem(
                group.at("count"),
                f"{group.max} instances are not a multiple of the UltraServer size {smallest}",
                help=f"write {nearest}",
                fix=unsafe(put(group.at("count"), count)),
            )


@rule(
    "CAP016",
    "Desired number of nodes outside its range",
    why="EKS keeps the number of nodes between the minimum and the maximum.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html",
    target="eks",
    by_limits=True,
    bad="node_groups: [{name: h200, count: {min: 1, max: 4, desired: 5}}]",
)
def desired_in_range(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        wanted = group.desired
        if wanted is not None and not group.min <= wanted <= group.max:
            near = min(max(wanted, group.min), group.max)
            path = group.at("count", "desired")
            message = f"{wanted} nodes are not between {group.min} and {group.max}"
            yield Problem(path, message, help=f"write {near}", fix=unsafe(put(path, near)))

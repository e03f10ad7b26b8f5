"""CAP005, CAP006: what a reservation or Capacity Block holds, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan

ONE_TYPE = Rule(
    code="CAP005",
    title="A reservation holds one instance type",
    why="A Capacity Reservation or Capacity Block is for one type; the other types of the group "
    "could never start.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html",
    bad="""node_groups:
  - name: h200
    instance_type: null
    instance_types: [g6e.12xlarge, g6.12xlarge]
    count: 2
    capacity: {reservation: cr-0a1b2c3d4e5f67890}""",
    good="""node_groups:
  - name: h200
    instance_type: g6e.12xlarge
    count: 2
    capacity: {reservation: cr-0a1b2c3d4e5f67890}""",
)
SHARED = Rule(
    code="CAP006",
    title="Two node groups share a reservation",
    why="The groups compete for the same instances: together they cannot grow to their maximum "
    "unless the reservation holds both.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html",
    severity=Severity.WARNING,
    bad="""node_groups:
  - {name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}
  - name: other
    instance_type: p5en.48xlarge
    count: 2
    capacity: {reservation: cr-0a1b2c3d4e5f67890}""",
    good="node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]",
)
BLOCK_SIZE = Rule(
    code="CAP007",
    title="More nodes than a Capacity Block can hold",
    why="A Capacity Block has at most 64 instances, so a larger group can never fill from it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    bad="""node_groups:
  - {name: h200, count: 65, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
    good="""node_groups:
  - {name: h200, count: 64, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)
RULES = (ONE_TYPE, SHARED, BLOCK_SIZE)

MAX_BLOCK = 64


def check(plan: Plan) -> Iterator[Finding]:
    users: dict[str, NodeGroup] = {}
    for group in plan.node_groups:
        if group.capacity.id is None or group.capacity.id.startswith("arn:"):
            continue
        if len(group.types) > 1:
            yield ONE_TYPE.at(
                group.at("instance_types"),
                f"{group.capacity.id} holds one type, the group has {len(group.types)}",
                help="write instance_type with the type of the reservation",
            )
        first = users.setdefault(group.capacity.id, group)
        if first.type != group.type:
            yield ONE_TYPE.at(
                group.at("capacity"),
                f"{group.capacity.id} holds one type, and {first.name!r} starts {first.type.name} "
                f"from it",
                help=f"name a reservation of {group.type.name}",
            )
        elif first is not group:
            yield SHARED.at(
                group.at("capacity"),
                f"{group.capacity.id} is used by {first.name!r} too",
                help=f"together they start up to {first.max + group.max} nodes from it",
            )
        if group.capacity.kind == "capacity-block" and group.max > MAX_BLOCK:
            yield BLOCK_SIZE.at(
                group.at("count"),
                f"{group.max} nodes from one Capacity Block",
                help=f"at most {MAX_BLOCK}: split the group, one block each",
            )

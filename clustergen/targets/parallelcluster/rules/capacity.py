"""Capacity Blocks and reservations."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.plan.timetable import iso, timetables
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.queues import capacity_type, subnets
from clustergen.targets.parallelcluster.rules import note, rule, warning


@rule(
    "CAP101",
    "Capacity Block with a variable count",
    why="Nodes of a Capacity Block are static in ParallelCluster: MinCount must equal MaxCount.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html",
    bad="""node_groups:
  - {name: h200, count: {min: 0, max: 2}, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)
def scaling_block(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and group.min < group.max:
            yield Problem(
                group.at("count"),
                f"{group.name} is a Capacity Block with {group.min} to {group.max} nodes",
                help=f"write count: {max(group.max, 1)}",
                fix=unsafe(put(group.at("count"), max(group.max, 1))),
            )


@note(
    "CAP102",
    "The reservation must be for Red Hat Enterprise Linux",
    why="ParallelCluster compares the reservation's platform with the operating system.",
    source="pcluster.constants: CAPACITY_RESERVATION_OS_MAP",
    bad="""software: {os: rhel9}
node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]""",
    good="""software: {os: ubuntu2404}
node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]""",
)
def platform(plan: Plan) -> Iterator[Problem]:
    os = plan.software.os
    for group in plan.node_groups:
        reserved = group.capacity.kind in ("reservation", "reservation-group", "capacity-block")
        if reserved and os in limits.OSES_OF_RED_HAT_RESERVATIONS:
            yield Problem(
                group.at("capacity"),
                f"{group.capacity.id} must have the platform Red Hat Enterprise Linux for {os}",
                help="reservations of platform Linux/UNIX work with Ubuntu, Amazon Linux and Rocky",
            )


_STRATEGY = """node_groups:
  - {{name: h200, instance_type: null, instance_types: [p5en.48xlarge, p5e.48xlarge], efa: false,
     count: 2, allocation: {}}}"""


@rule(
    "CAP105",
    "Allocation strategy that the market does not have",
    why="EC2 has other strategies for Spot than for capacity on demand, and none for a Capacity "
    "Block.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-allocation-strategy.html",
    bad=_STRATEGY.format("capacity-optimized"),
    good=_STRATEGY.format("prioritized"),
)
def allocation(plan: Plan) -> Iterator[Problem]:
    places = [(subnets(plan, queue), group) for queue in plan.queues for group in queue.node_groups]
    for place, group in places:
        known = limits.ALLOCATION[capacity_type(group)]
        several = group.listed or len(place) > 1
        if group.allocation and several and group.allocation not in known:
            yield unwanted(
                group.at("allocation"),
                f"{group.allocation} is no strategy for {capacity_type(group)}",
                help=f"write {' or '.join(known)}" if known else "remove allocation",
            )


_DATED = """node_groups:
  - name: h200
    count: 2
    capacity:
      capacity_block: cr-0a1b2c3d4e5f67890
      starts: 2026-12-10T11:30:00Z
      ends: 2026-12-17T11:30:00Z
"""


@warning(
    "CAP104",
    "No drain before capacity ends",
    why="The hook installs timetable.sh, which keeps jobs off nodes before their capacity ends. "
    "Without it, jobs start until the end, and AWS terminates their nodes.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html",
    bad=f"{_DATED}targets: {{parallelcluster: {{leave_out: [hook]}}}}",
    good=f"{_DATED}targets: {{parallelcluster: {{leave_out: [session-manager]}}}}",
)
def no_drain(plan: Plan) -> Iterator[Problem]:
    if not plan.options_as(Options).leaves_out("hook"):
        return
    for times in timetables(plan):
        if times.ends:
            yield Problem(
                times.group.at("capacity", "ends"),
                f"nothing drains {times.group.name} before {iso(times.ends)}: leave_out has hook",
                help="remove hook from leave_out, or drain the nodes with a script of your own",
            )

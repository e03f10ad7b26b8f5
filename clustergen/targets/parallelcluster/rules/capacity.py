"""Capacity: how ParallelCluster wants blocks and groups written."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.scheduling import switches_smt_off

_TARGET = "parallelcluster"

BLOCK_SIZE = Rule(
    code="CAP101",
    title="A Capacity Block that scales",
    why="Nodes of a Capacity Block are static in ParallelCluster: MinCount must equal MaxCount.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html",
    target=_TARGET,
    bad="""node_groups:
  - {name: h200, count: {min: 0, max: 2}, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
    good="""node_groups:
  - {name: h200, count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)
PLATFORM = Rule(
    code="CAP102",
    title="The reservation must be for Red Hat Enterprise Linux",
    why="ParallelCluster compares the reservation's platform with the operating system.",
    source="pcluster.constants: CAPACITY_RESERVATION_OS_MAP",
    severity=Severity.NOTE,
    target=_TARGET,
    bad="""software: {os: rhel9}
node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]""",
    good="""software: {os: ubuntu2404}
node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]""",
)
CORES = Rule(
    code="CAP103",
    title="Types of one group differ in cores, with one thread each",
    why="With SMT off Slurm counts cores, and has one number for all nodes of the group. Types of "
    "equal vCPUs differ when one of them has no SMT.",
    source="pcluster.validators.instances_validators: InstancesCPUValidator",
    target=_TARGET,
    bad="""node_groups:
  - name: h200
    instance_type: null
    instance_types: [m7i.4xlarge, m7a.4xlarge]
    threads_per_core: 1""",
    good="""node_groups:
  - name: h200
    instance_type: null
    instance_types: [m7i.4xlarge, m6i.4xlarge]
    threads_per_core: 1""",
)
PLACEMENT = Rule(
    code="PLC101",
    title="The type does not go into a placement group",
    why="ParallelCluster takes every placement group for one of strategy cluster, the user's too.",
    source="pcluster.validators.ec2_validators: InstanceTypePlacementGroupValidator",
    target=_TARGET,
    bad="node_groups: [{name: h200, instance_type: vt1.24xlarge, placement: {group: mine}}]",
    good="node_groups: [{name: h200, instance_type: vt1.24xlarge, placement: none}]",
)
RULES = (BLOCK_SIZE, PLATFORM, CORES, PLACEMENT)


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on how node groups are bought."""
    for group in plan.node_groups:
        yield from _block(group)
        yield from _types(group)
        if _reserved(group) and plan.software.os in limits.OSES_OF_RED_HAT_RESERVATIONS:
            yield PLATFORM.at(
                group.at("capacity"),
                f"{group.capacity.id} must have the platform Red Hat Enterprise Linux, for "
                f"{plan.software.os}",
                help="reservations of platform Linux/UNIX go with Ubuntu, Amazon Linux and Rocky",
            )


def _block(group: NodeGroup) -> Iterator[Finding]:
    if group.capacity.kind == "capacity-block" and not group.static:
        yield BLOCK_SIZE.at(
            group.at("count"),
            f"{group.name} is a Capacity Block with {group.min} to {group.max} nodes",
            help=f"write count: {max(group.max, 1)}",
        )


def _types(group: NodeGroup) -> Iterator[Finding]:
    cores = {type.name: type.cores for type in group.types}
    if switches_smt_off(group) and len(set(cores.values())) > 1:
        yield CORES.at(
            group.at("instance_types"),
            ", ".join(f"{name} has {count} cores" for name, count in cores.items()),
            help="keep types of one number of cores, or leave threads_per_core out",
        )
    for type in group.types:
        if group.placement.kind == "existing" and "cluster" not in type.placement:
            yield PLACEMENT.at(
                group.at("placement"),
                f"{type.name} does not go into a placement group of strategy cluster",
                help="write placement: none",
            )


def _reserved(group: NodeGroup) -> bool:
    return group.capacity.kind in ("reservation", "reservation-group", "capacity-block")

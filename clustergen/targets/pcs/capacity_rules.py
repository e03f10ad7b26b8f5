"""What PCS makes of reserved capacity: interruptible reservations, blocks, UltraServers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.targets.pcs.limits import USER_GUIDE

_ULTRASERVERS = f"{USER_GUIDE}capacity-blocks-nvidia-imex.html"

_GB200 = (
    "{name: gb200, instance_type: p6e-gb200.36xlarge, count: 18, "
    "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}"
)

INTERRUPTIBLE = Rule(
    code="CAP201",
    title="Nodes that always run, on capacity that is taken back",
    why="When an interruptible reservation is reclaimed, PCS keeps trying to replace the minimum.",
    source=f"{USER_GUIDE}capacity-reservations-iodcr.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="node_groups: [{name: h200, capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, count: {min: 0, max: 2}, "
    "capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}}]",
)
SHARED_BLOCK = Rule(
    code="CAP202",
    title="Node groups that share a Capacity Block and scale",
    why="Each group counts on the whole block: only fixed counts divide it.",
    source=f"{USER_GUIDE}capacity-blocks-faq.html",
    target="pcs",
    bad="""node_groups:
  - {name: h200, count: {min: 0, max: 2}, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
  - name: debug
    instance_type: p5en.48xlarge
    count: 1
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890}""",
    good="""node_groups:
  - {name: h200, count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
  - name: debug
    instance_type: p5en.48xlarge
    count: 1
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890}""",
)
ULTRASERVER_QUEUE = Rule(
    code="CAP203",
    title="UltraServers beside other nodes in a queue",
    why="PCS wants queues of their own for them, as the topology of a queue is of one kind.",
    source=_ULTRASERVERS,
    target="pcs",
    bad=f"node_groups: [{_GB200}]\nqueues: [{{name: train, node_groups: [h200, gb200]}}]",
    good=f"node_groups: [{_GB200}]\n"
    "queues: [{name: train, node_groups: [h200]}, {name: ultra, node_groups: [gb200], exclusive: "
    "true}]",
)
ULTRASERVER_RATIO = Rule(
    code="CAP204",
    title="UltraServer groups of unequal sizes in a queue",
    why="Their counts must be in a ratio of a power of two, such as 9 and 18, to form blocks.",
    source=_ULTRASERVERS,
    target="pcs",
    bad=f"""node_groups:
  - {_GB200}
  - {_GB200.replace("name: gb200", "name: gb200-b").replace("18", "27").replace("890", "891")}
queues: [{{name: ultra, node_groups: [gb200, gb200-b], exclusive: true}}]""",
    good=f"""node_groups:
  - {_GB200}
  - {_GB200.replace("name: gb200", "name: gb200-b").replace("18", "9").replace("890", "891")}
queues: [{{name: ultra, node_groups: [gb200, gb200-b], exclusive: true}}]""",
)
ULTRASERVER_JOBS = Rule(
    code="CAP205",
    title="UltraServer queue whose jobs may share nodes",
    why="NVIDIA IMEX is set up anew for each job, which disturbs any other job on the node.",
    source=_ULTRASERVERS,
    severity=Severity.WARNING,
    target="pcs",
    bad=f"node_groups: [{_GB200}]\nqueues: [{{name: ultra, node_groups: [gb200]}}]",
    good=f"node_groups: [{_GB200}]\nqueues: [{{name: ultra, node_groups: [gb200], exclusive: "
    "true}]",
)
RULES = (INTERRUPTIBLE, SHARED_BLOCK, ULTRASERVER_QUEUE, ULTRASERVER_RATIO, ULTRASERVER_JOBS)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for group in plan.node_groups:
        yield from _interruptible(group)
    yield from _shared_blocks(plan)
    for queue in plan.queues:
        yield from _ultraservers(queue)


def _interruptible(group: NodeGroup) -> Iterator[Finding]:
    if group.capacity.kind == "interruptible-reservation" and group.min:
        yield INTERRUPTIBLE.at(
            group.at("count"),
            f"{group.min} nodes of {group.name} always run",
            help=f"write count: {{min: 0, max: {group.max}}}",
        )


def _shared_blocks(plan: Plan) -> Iterator[Finding]:
    users = defaultdict(list)
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block":
            users[group.capacity.id].append(group)
    for groups in users.values():
        for group in groups:
            if len(groups) > 1 and not group.static:
                yield SHARED_BLOCK.at(
                    group.at("count"),
                    f"{group.name} scales, and shares its Capacity Block with "
                    + ", ".join(other.name for other in groups if other is not group),
                    help=f"write count: {group.max}",
                )


def _ultraserver(group: NodeGroup) -> bool:
    # trn2u is sold singly too; only NVLink domains of GPUs are what PCS calls UltraServer.
    return group.type.ultraserver is not None and group.type.gpus > 0


def _ultraservers(queue: Queue) -> Iterator[Finding]:
    groups = [group for group in queue.node_groups if _ultraserver(group)]
    if not groups:
        return
    others = [group.name for group in queue.node_groups if group not in groups]
    if others:
        yield ULTRASERVER_QUEUE.at(
            queue.at("node_groups"),
            f"the queue {queue.name} has UltraServers and {', '.join(others)}",
            help="give each kind a queue of its own",
        )
    smallest = min(group.max for group in groups)
    for group in groups:
        if not _power_of_two(group.max, smallest):
            yield ULTRASERVER_RATIO.at(
                group.at("count"),
                f"{group.max} nodes beside {smallest} in the queue {queue.name}",
                help=f"write {smallest}, {2 * smallest} or {4 * smallest}",
            )
    if not queue.exclusive:
        yield ULTRASERVER_JOBS.at(
            queue.at("name"), f"jobs of {queue.name} may share nodes", help="write exclusive: true"
        )


def _power_of_two(number: int, unit: int) -> bool:
    ratio, rest = divmod(number, unit) if unit else (0, 1)
    return not rest and ratio > 0 and ratio & (ratio - 1) == 0

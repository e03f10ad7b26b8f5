"""Reserved capacity: interruptible reservations, Capacity Blocks, UltraServers."""

from collections import defaultdict
from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.slurm import imex
from clustergen.targets.pcs import limits, settings
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import rule, warning

_ULTRASERVERS = f"{USER_GUIDE}capacity-blocks-nvidia-imex.html"

_GB200 = (
    "{name: gb200, instance_type: p6e-gb200.36xlarge, count: 18, "
    "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}"
)


@warning(
    "CAP201",
    "Static nodes on an interruptible reservation",
    why="When an interruptible reservation is reclaimed, PCS keeps trying to replace the minimum.",
    source=f"{USER_GUIDE}capacity-reservations-iodcr.html",
    bad="node_groups: [{name: h200, capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, count: {min: 0, max: 2}, "
    "capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}}]",
)
def interruptible(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.capacity.kind == "interruptible-reservation" and group.min:
            yield Problem(
                group.at("count"),
                f"{group.min} nodes of {group.name} always run",
                help=f"write count: {{min: 0, max: {group.max}}}",
                fix=unsafe(put(group.at("count"), {"min": 0, "max": group.max})),
            )


@rule(
    "CAP202",
    "Node groups that share a Capacity Block and scale",
    why="Each group may use the whole block; only fixed counts divide it.",
    source=f"{USER_GUIDE}capacity-blocks-faq.html",
    bad="""node_groups:
  - {name: h200, count: {min: 0, max: 2}, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
  - {name: debug, instance_type: p5en.48xlarge, count: 1,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)
def shared_block(plan: Plan) -> Iterator[Problem]:
    users = defaultdict(list)
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block":
            users[group.capacity.id].append(group)
    for groups in users.values():
        for group in groups:
            others = [other.name for other in groups if other is not group]
            if others and not group.static:
                yield Problem(
                    group.at("count"),
                    f"{group.name} scales, and shares its Capacity Block with {', '.join(others)}",
                    help=f"write count: {group.max}",
                    fix=unsafe(put(group.at("count"), group.max)),
                )


@rule(
    "CAP203",
    "UltraServers beside other nodes in a queue",
    why="UltraServers need a queue of their own, because a queue has one kind of topology.",
    source=_ULTRASERVERS,
    bad=f"node_groups: [{_GB200}]\nqueues: [{{name: train, node_groups: [h200, gb200]}}]",
    good=f"node_groups: [{_GB200}]\n"
    "queues: [{name: train, node_groups: [h200]}, {name: ultra, node_groups: [gb200], exclusive: "
    "true}]",
)
def ultraserver_queue(plan: Plan) -> Iterator[Problem]:
    for queue, groups in _ultraserver_queues(plan):
        others = [group.name for group in queue.node_groups if group not in groups]
        if others:
            yield Problem(
                queue.at("node_groups"),
                f"the queue {queue.name} has UltraServers and {', '.join(others)}",
                help="give each kind a queue of its own",
            )


@rule(
    "CAP204",
    "Sizes of UltraServer groups in a queue do not match",
    why="Their counts must be in a ratio of a power of two, such as 9 and 18, to form blocks.",
    source=_ULTRASERVERS,
    bad=f"""node_groups:
  - {_GB200}
  - {_GB200.replace("name: gb200", "name: gb200-b").replace("18", "27").replace("890", "891")}
queues: [{{name: ultra, node_groups: [gb200, gb200-b], exclusive: true}}]""",
)
def ultraserver_ratio(plan: Plan) -> Iterator[Problem]:
    for queue, groups in _ultraserver_queues(plan):
        smallest = min(group.max for group in groups)
        for group in groups:
            if not _is_power_of_two(group.max, smallest):
                yield Problem(
                    group.at("count"),
                    f"{group.max} nodes beside {smallest} in the queue {queue.name}",
                    help=f"write {smallest}, {2 * smallest} or {4 * smallest}",
                    fix=unsafe(put(group.at("count"), smallest)),
                )


@warning(
    "CAP205",
    "Jobs in an UltraServer queue may share nodes",
    why="A job that shares its nodes gets no IMEX domain, and so no NVLink between its nodes.",
    source=_ULTRASERVERS,
    bad=f"node_groups: [{_GB200}]\nqueues: [{{name: ultra, node_groups: [gb200]}}]",
)
def ultraserver_jobs(plan: Plan) -> Iterator[Problem]:
    for queue, _ in _ultraserver_queues(plan):
        if not queue.exclusive:
            yield Problem(
                queue.at("name"),
                f"jobs of {queue.name} may share nodes",
                help="write exclusive: true",
                fix=unsafe(put(queue.at("exclusive"), True)) if queue.path[0] == "queues" else None,
            )


@warning(
    "CAP207",
    "UltraServer whose NVLink depends on a prolog of yours",
    why="A prolog configures NVIDIA IMEX for each job. The bundle adds its own neither to an "
    "existing cluster nor to a Prolog of the spec. Its jobs and smoke tests then do without NVLink "
    "between nodes.",
    source=_ULTRASERVERS,
    bad=f"node_groups: [{_GB200}]\nslurm: {{settings: {{Prolog: /opt/prolog.sh}}}}",
    good=f"node_groups: [{_GB200}]",
)
def ultraserver_prolog(plan: Plan) -> Iterator[Problem]:
    if imex.needed(plan) and not settings.has_imex(plan):
        own = plan.creates_cluster
        yield Problem(
            ("slurm", "settings") if own else ("targets", "pcs"),
            f"{'the Prolog of the spec' if own else 'the existing cluster'} has to configure IMEX",
            help="configure it as the source shows, and set NCCL_MNNVL_ENABLE=1 in jobs"
            + (", or remove Prolog" if own else ""),
        )


def _ultraserver_queues(plan: Plan) -> Iterator[tuple[Queue, list[NodeGroup]]]:
    for queue in plan.queues:
        if groups := [group for group in queue.node_groups if group.type.nvlink_domain]:
            yield queue, groups


def _is_power_of_two(number: int, unit: int) -> bool:
    """Whether ``number`` is ``unit`` times a power of two."""
    ratio, rest = divmod(number, unit) if unit else (0, 1)
    return not rest and ratio > 0 and ratio & (ratio - 1) == 0


@rule(
    "CAP206",
    "Allocation strategy that PCS does not support",
    why="PCS supports an allocation strategy for Spot Instances only. On-Demand Instances come "
    "from the first type and subnet with capacity.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_SpotOptions.html",
    bad="node_groups: [{name: h200, instance_type: m7i.4xlarge, allocation: prioritized}]",
    good="node_groups: [{name: h200, instance_type: m7i.4xlarge, capacity: spot, "
    "allocation: price-capacity-optimized}]",
)
def allocation(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        spot = group.capacity.kind == "spot"
        if group.allocation and not (spot and group.allocation in limits.SPOT_ALLOCATION):
            known = ", ".join(limits.SPOT_ALLOCATION)
            yield unwanted(
                group.at("allocation"),
                f"PCS does not support {group.allocation!r} for {group.capacity.kind} capacity",
                help=f"write one of {known}" if spot else "remove it, or write capacity: spot",
            )

"""Purchase options, counts and scaling of multi-node jobs."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.plan.sizes import on_spot, runs_multi_node
from clustergen.spec.quantities import format_duration
from clustergen.targets.batch import limits, strategies
from clustergen.targets.batch.rules import note, rule, warning


@rule(
    "CAP600",
    "Spot instances for multi-node jobs",
    why="Batch starts no multi-node parallel job on Spot instances: it stays RUNNABLE for ever.",
    source=limits.MULTI_NODE,
    bad="node_groups: [{name: h200, instance_type: p5.48xlarge, capacity: spot}]",
    good="node_groups: [{name: h200, instance_type: p5.48xlarge, capacity: spot, efa: false}]",
)
def spot(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        # CAP002 reports types that are never on Spot, and how they are sold.
        if on_spot(group) and runs_multi_node(group):
            yield Problem(
                group.at("capacity"),
                f"nodes of {group.name} have EFA for jobs over several nodes, which never start on "
                "Spot instances",
                help="write capacity: on-demand, or efa: false for jobs of one node",
            )


@rule(
    "CAP605",
    "Allocation strategy that Batch does not support",
    why="Batch has strategies for Spot Instances, and others for On-Demand Instances.",
    source=strategies.SOURCE,
    bad="node_groups: [{name: h200, allocation: capacity-optimized}]",
    good="node_groups: [{name: h200, allocation: lowest-price}]",
)
def allocation(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        known = strategies.known(spot=group.capacity.kind == "spot")
        if group.allocation and group.allocation not in known:
            yield unwanted(
                group.at("allocation"),
                f"Batch does not support {group.allocation!r} for {group.capacity.kind} capacity",
                help=f"write {' or '.join(known)}, or remove it",
            )


@warning(
    "CAP601",
    "Minimum of nodes that multi-node jobs do not use",
    why="Batch keeps a minimum of vCPUs for jobs of one node. Multi-node parallel jobs always "
    "start nodes of their own.",
    source=f"{limits.USER_GUIDE}managed_compute_environments.html",
    bad="node_groups: [{name: h200, count: {min: 2, max: 4}}]",
    good="node_groups: [{name: h200, count: {min: 0, max: 4}}]",
)
def minimum(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        # A plain number is how many nodes there are, on services that keep them.
        asked = group.min and not group.static
        if asked and runs_multi_node(group):
            yield Problem(
                group.at("count"),
                f"no nodes of {group.name} wait for jobs: each starts up to {group.max} itself",
                help=f"write count: {{min: 0, max: {group.max}}}",
            )


@warning(
    "CAP603",
    "Idle time that Batch does not have",
    why="Batch keeps idle nodes for 20 minutes to 7 days, or stops them within minutes.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeScalingPolicy.html",
    bad="slurm: {idle_timeout: 5m}",
    good="slurm: {idle_timeout: 20m}",
)
def idle_time(plan: Plan) -> Iterator[Problem]:
    shortest, longest = limits.IDLE_MINUTES
    given = plan.slurm.idle_timeout
    if given is None:
        return
    minutes = -(-given // 60)
    if plan.wrote("slurm", "idle_timeout") and not shortest <= minutes <= longest:
        nearest = min(max(minutes, shortest), longest)
        yield Problem(
            ("slurm", "idle_timeout"),
            f"{format_duration(given)} has no effect: Batch keeps idle nodes for "
            "20m to 7d, or stops them within minutes",
            help=f"write {format_duration(nearest * 60)}, or remove it",
        )


@note(
    "CAP604",
    "Capacity Block for jobs of Batch",
    why="Jobs wait until the block begins, so nothing cancels them for lack of capacity. EC2 ends "
    "the instances 30 minutes before the block ends.",
    source="https://aws.amazon.com/blogs/hpc/how-to-use-capacity-blocks-for-ml-with-aws-batch",
    bad="node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="""node_groups:
  - name: h200
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890, ends: "2026-12-17T11:30:00Z"}""",
)
def block(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and not group.capacity.ends:
            yield Problem(
                group.at("capacity"),
                f"jobs of {group.name} stay RUNNABLE outside the block, and end 30 minutes before "
                "it does",
                help="write starts and ends, and checkpoints in time; remove waiting jobs when the "
                "block is over",
            )

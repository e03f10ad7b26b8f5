"""Slurm nodes whose capacity starts or ends: the script that keeps jobs off them, and its table.

The script runs every minute where Slurm's commands may change reservations. The table is in the
scripts bucket at a fixed key, so that a changed date replaces no node.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from clustergen import shell
from clustergen.artifacts import Artifact
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.plan.timetable import Timetable, seconds, timetables

NAME = "timetable.sh"
TABLE = "timetable.tsv"

NodesOf = Callable[[NodeGroup], str]
"""The names of a group's nodes as Slurm writes them; ``-`` where they are not known before."""
PartitionsOf = Callable[[NodeGroup], tuple[str, ...]]
"""The partitions to stop with a group: those that have no other nodes."""

_HEADER = "# group nodes partitions start checkpoint stop limited waits"


def wanted(plan: Plan) -> bool:
    """Whether the capacity of a group starts or ends at a known time."""
    return any(group.capacity.dated for group in plan.node_groups)


def key(plan: Plan) -> str:
    """The key of the table in the scripts bucket; targets may share the bucket."""
    return f"clusters/{plan.name}/{plan.target}-{TABLE}"


def waits(group: NodeGroup) -> bool:
    """Whether jobs wait until the capacity starts: services do that for Capacity Blocks."""
    return group.capacity.kind == "reservation" and group.capacity.starts is not None


def least_nodes(group: NodeGroup) -> int:
    """The nodes that run without jobs: none before the capacity starts, and all until it ends,
    because they are paid for."""
    if waits(group):
        return 0
    return group.max if group.held else group.min


def values(plan: Plan) -> dict[str, Any]:
    """Values of ``shared/timetable.sh.j2``."""
    return {"timetable": key(plan), "timed": wanted(plan)}


def table(
    plan: Plan, nodes_of: NodesOf, partitions_of: PartitionsOf = lambda _: ()
) -> Artifact | None:
    """The table that deploy.sh uploads; None if no capacity has dates."""
    if not wanted(plan):
        return None
    lines = [_HEADER, *(_line(plan, each, nodes_of, partitions_of) for each in timetables(plan))]
    return Artifact(TABLE, "\n".join(lines) + "\n")


def _line(plan: Plan, times: Timetable, nodes_of: NodesOf, partitions_of: PartitionsOf) -> str:
    group = times.group
    columns = (
        group.name,
        nodes_of(group) or "-",
        ",".join(partitions_of(group)) or "-",
        seconds(times.launches),
        seconds(times.checkpoint),
        seconds(times.stops),
        _word(all(map(has_limit, _queues(plan, group)))),
        _word(waits(group)),
    )
    return " ".join(columns)


def _word(value: bool) -> str:
    return "yes" if value else "no"


def _queues(plan: Plan, group: NodeGroup) -> Iterator[Queue]:
    return (queue for queue in plan.queues if group in queue.node_groups)


def has_limit(queue: Queue) -> bool:
    """Whether every job of a queue has a time limit."""
    given = {name.lower(): value.lower() for name, value in queue.slurm.items()}
    own = (given.get("defaulttime"), given.get("maxtime"))
    limited = any(value not in (None, "infinite", "unlimited") for value in own)
    return queue.time_limit is not None or limited


@functools.lru_cache(maxsize=8)
def script(*, slurm_bin: str = "/opt/slurm/bin", by_group: bool = False) -> str:
    """The script; ``by_group`` where the names of nodes are not known before they are there."""
    return shell.render("slurm/timetable.sh.j2", slurm_bin=slurm_bin, by_group=by_group)

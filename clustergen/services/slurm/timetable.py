"""Slurm nodes whose capacity starts or ends: the script that keeps jobs off them, and its table.

The script runs every minute where Slurm's commands may change reservations. The table is in the
scripts bucket at a fixed key, so that a changed date replaces no node.
"""

import functools
from collections.abc import Callable

from clustergen.base import shell
from clustergen.base.artifacts import Artifact
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import waits
from clustergen.plan.slurm import limits
from clustergen.plan.timetable import Timetable, seconds, timetables
from clustergen.services.slurm import tables

NAME = "timetable.sh"
TABLE = tables.TIMETABLE

NodesOf = Callable[[NodeGroup], str]
"""The names of a group's nodes as Slurm writes them; ``-`` where they are not known before."""
PartitionsOf = Callable[[NodeGroup], tuple[str, ...]]
"""The partitions to stop with a group: those that have no other nodes."""

_HEADER = "# group nodes partitions start checkpoint stop limited waits"


def wanted(plan: Plan) -> bool:
    """Whether the capacity of a group starts or ends at a known time."""
    return any(group.capacity.dated for group in plan.node_groups)


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
        _word(limits(plan, group) is not None),
        _word(waits(group)),
    )
    return " ".join(columns)


def _word(value: bool) -> str:
    return "yes" if value else "no"


@functools.lru_cache(maxsize=8)
def script(cluster: str, *, slurm_bin: str = "/opt/slurm/bin", by_group: bool = False) -> str:
    """The script; ``by_group`` where the names of nodes are not known before they are there."""
    values = {"cluster": cluster, "slurm_bin": slurm_bin, "by_group": by_group}
    return shell.render("slurm/timetable.sh.j2", **values)

"""Batch jobs sized from the plan: allocation of nodes, and job templates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.plan import slurm
from clustergen.plan.model import Bucket, NodeGroup, Plan, Queue
from clustergen.plan.timetable import timetable
from clustergen.services.aws import mounts
from clustergen.services.nodes import torchrun
from clustergen.spec.quantities import format_slurm_duration

FOLDER = "jobs"
_HOUR, _DAY = 3600, 86400


@dataclass(frozen=True, slots=True)
class Cluster:
    """How Slurm allocates nodes to jobs on a target."""

    gpus: bool = False
    """GPUs are Slurm resources, which jobs request; otherwise jobs find out when they run."""
    imex: bool | None = None
    """A prolog of the bundle configures IMEX for each job; None where the service does it."""
    auto_resume: bool = False
    """srun restarts its step when the service has replaced a failed node."""
    nccl_tests: bool = True
    """Images include nccl-tests."""
    feature: Callable[[NodeGroup], str] | None = None
    """The Slurm feature that only the nodes of a group have."""

    def shares_nvlink(self, group: NodeGroup) -> bool:
        """Whether GPUs of several nodes of a group reach each other over NVLink."""
        return group.type.nvlink_domain and self.imex is not False


def shared(plan: Plan) -> list[str]:
    """Mount paths of file systems that nodes share and jobs write to."""
    return [item.mount for item in mounts.sort(plan.storage) if not isinstance(item, Bucket)]


def reached(plan: Plan) -> Iterator[tuple[NodeGroup, Queue]]:
    """The node groups with nodes, each with a queue that uses it: the first with all its nodes."""
    for group in plan.node_groups:
        queues = [queue for queue in plan.queues if group in queue.node_groups]
        queues.sort(key=lambda queue: group.name in queue.nodes)
        if queues and group.max:
            yield group, queues[0]


def allocation(group: NodeGroup, queue: Queue, cluster: Cluster) -> dict[str, Any]:
    """The #SBATCH lines that allocate the nodes of a job."""
    several = len(queue.node_groups) > 1
    return {
        "group": group.name,
        "partition": queue.name,
        "feature": cluster.feature(group) if cluster.feature and several else "",
        # MIG partitions count as GPUs.
        "gpus": group.type.gpus * (sum(group.mig.values()) or 1) if cluster.gpus else 0,
        "shared": False,
    }


def _time(plan: Plan, group: NodeGroup, queue: Queue) -> str:
    """How long a job may run on capacity that ends: short, so that it starts until near the end."""
    times = timetable(plan, group)
    if not times or not times.ends:
        return ""
    tenth = times.usable.total_seconds() / 10 if times.usable else _DAY
    seconds = int(min(slurm.limit(queue) or _DAY, max(tenth, _HOUR), _DAY))
    return format_slurm_duration(seconds - seconds % (_HOUR if seconds > _HOUR else 60))


def files(plan: Plan, cluster: Cluster) -> Bundle:
    """A job template for every node group with a queue."""
    return tuple(_template(plan, group, queue, cluster) for group, queue in reached(plan))


def _template(plan: Plan, group: NodeGroup, queue: Queue, cluster: Cluster) -> Artifact:
    kind, count = group.accelerators
    values = {
        **allocation(group, queue, cluster),
        "types": [type.name for type in group.types],
        "nodes": min(group.max, 2) if group.max else 1,
        "time": _time(plan, group, queue),
        "processes": torchrun.processes(group),
        "threads": torchrun.threads(group),
        "kind": kind if count else "",
        "efa": group.efa_interfaces,
        "nvlink": cluster.shares_nvlink(group),
        "auto_resume": cluster.auto_resume,
        "pyxis": plan.software.containers == "pyxis",
        "mounts": ",".join(f"{place}:{place}" for place in shared(plan)),
        # In one MIG partition, NCCL joins no more, and other jobs share the node.
        **({"nodes": 1, "gpus": int(cluster.gpus), "shared": True, "efa": 0} if group.mig else {}),
    }
    name = "torchrun" if count else "mpi"
    text = shell.render(f"slurm/jobs/{name}.sbatch.j2", **values)
    return Artifact(f"{FOLDER}/{name}-{group.name}.sbatch", text)

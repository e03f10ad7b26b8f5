"""Job definitions: the requests that ``submit.sh`` registers."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Json, json_artifact
from clustergen.facts.catalog import neuron
from clustergen.plan.images import AMAZON_LINUX, pulled
from clustergen.plan.model import Bucket, NodeGroup, Plan, Queue
from clustergen.plan.sizes import runs_multi_node
from clustergen.services.aws import mounts
from clustergen.services.aws.members import filled
from clustergen.services.nodes import nccl, neuron_reduce, torchrun
from clustergen.targets.batch import limits, names, nodes
from clustergen.targets.batch.options import Options

FOLDER = "jobs"
PROGRAM = "/workspace/train.py"

# Docker's default of 64 MiB breaks NCCL.
_SHARED_MEMORY_MIB = 65536
_TEST_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Job:
    """A job of one queue on the nodes of one group."""

    name: str
    definition: str
    """The name of its definition, unique in the account and region."""
    kind: str
    queue: str
    """The name of its queue."""
    group: str
    """The name of its node group."""
    request: Json
    """The input of RegisterJobDefinition."""

    @property
    def artifact(self) -> Artifact:
        return json_artifact(f"{FOLDER}/{self.name}.json", self.request)


@functools.lru_cache(maxsize=4)
def every(plan: Plan) -> tuple[Job, ...]:
    """The jobs of each node group in each of its queues."""
    groups = {group.name: nodes.smallest_first(group) for group in plan.node_groups}
    works = {name: tuple(_works(plan, group)) for name, group in groups.items()}
    return tuple(
        _job(plan, queue, groups[group.name], work)
        for queue in plan.queues
        for group in queue.node_groups
        for work in works[group.name]
    )


Values = tuple[tuple[str, Any], ...]
"""Names and values for a template."""


class Work(NamedTuple):
    """What a job does: its kind, the image and the script of its containers."""

    kind: str
    image: str
    script: str

    @property
    def trains(self) -> bool:
        """Whether users replace it by their own."""
        return self.kind in ("array", "mpi", "torchrun")


def _works(plan: Plan, group: NodeGroup) -> Iterator[Work]:
    values = _values(plan, group)
    own = plan.options_as(Options).image
    yield _work("verify", pulled(plan, _test_image(group)), values)
    if group.type.gpus and nccl.image_runs(group):
        yield _work("nccl", pulled(plan, nccl.IMAGE), values)
    if neuron.cores(group.type):
        kind = "all-reduce" if runs_multi_node(group) else "nccom"
        yield _work(kind, pulled(plan, torchrun.NEURON_IMAGE), values)
    if group.accelerators[1]:
        yield _work("torchrun", own or pulled(plan, torchrun.image(group)), values)
    elif runs_multi_node(group):
        yield _work("mpi", own or pulled(plan, AMAZON_LINUX), values)
    else:
        yield _work("array", own or pulled(plan, AMAZON_LINUX), values)


def _work(kind: str, image: str, values: Values) -> Work:
    return Work(kind, image, _script(kind, values))


# Groups may have the same nodes.
@functools.lru_cache(maxsize=16)
def _script(kind: str, values: Values) -> str:
    return shell.render(f"batch/jobs/{kind}.sh.j2", **dict(values))


def _test_image(group: NodeGroup) -> str:
    if group.type.gpus:
        return nccl.IMAGE if nccl.image_runs(group) else torchrun.image(group)
    return torchrun.NEURON_IMAGE if group.type.neuron_devices else AMAZON_LINUX


def _values(plan: Plan, group: NodeGroup) -> Values:
    kind, count = group.accelerators
    accelerators = neuron.cores(group.type) or count
    values = {
        "kind": kind if count else "",
        "count": count,
        "slots": accelerators or group.type.cores,
        "efa": group.efa_interfaces,
        "multi_node": runs_multi_node(group),
        "largest": f"{nccl.largest_gib(group)}G",
        "reference": nccl.reference(group.type),
        "mounts": tuple(_folders(plan, group)),
        "shared": tuple(item.mount for item in mounts.writable(plan)),
        "shared_memory": _shared_memory(group) if count else 0,
        "program": PROGRAM,
        "reduce": neuron_reduce.PROGRAM,
    }
    return tuple(values.items())


def _folders(plan: Plan, group: NodeGroup) -> list[str]:
    scratch = [group.scratch] if group.scratch else []
    return [*(item.mount for item in mounts.mounted(plan)), *scratch]


def _job(plan: Plan, queue: Queue, group: NodeGroup, work: Work) -> Job:
    name = names.job(queue, group, work.kind)
    shared = work.kind == "array" and nodes.shares_nodes(group) and not queue.exclusive
    container = {
        **_container(plan, group, work, "1" if shared or work.kind == "mpi" else None),
        "resourceRequirements": [
            {"type": key, "value": str(value)} for key, value in _resources(group, shared).items()
        ],
        "logConfiguration": {
            "logDriver": "awslogs",
            "options": {"awslogs-group": names.log_group(plan), "awslogs-stream-prefix": name},
        },
    }
    definition = f"{plan.name}-{name}"
    request = {
        "jobDefinitionName": definition,
        **_type(group, container, 1 if work.kind == "verify" else nccl.tested(group)),
        "platformCapabilities": ["EC2"],
        "propagateTags": True,
        "retryStrategy": _retries(plan, group, work),
        **_timeout(queue, work),
        **filled(tags=dict(plan.tags)),
    }
    return Job(name, definition, work.kind, names.queue(plan, queue), group.name, request)


def _type(group: NodeGroup, container: Json, number: int) -> Json:
    """A multi-node parallel job has one range: submitters choose the number of nodes."""
    if not runs_multi_node(group):
        return {"type": "container", "containerProperties": container}
    pinned = {**container, "instanceType": group.type.name}
    return {
        "type": "multinode",
        "nodeProperties": {
            "numNodes": number,
            "mainNode": 0,
            "nodeRangeProperties": [{"targetNodes": "0:", "container": pinned}],
        },
    }


def _retries(plan: Plan, group: NodeGroup, work: Work) -> Json:
    """Jobs start again only if their host fails: what no rule matches would be tried again.

    EC2 takes Spot instances back, and one failed child fails an array.
    """
    restarts = plan.resilience.auto_resume or group.capacity.kind == "spot"
    if not (work.trains and restarts):
        return {"attempts": 1}
    rules = [
        {"action": "RETRY", "onStatusReason": "Host EC2*"},
        {"action": "EXIT", "onReason": "*"},
    ]
    return {"attempts": limits.ATTEMPTS, "evaluateOnExit": rules}


def _timeout(queue: Queue, work: Work) -> Json:
    """The limit of the queue; tests end after an hour."""
    seconds = queue.time_limit
    if not work.trains:
        seconds = min(seconds or _TEST_SECONDS, _TEST_SECONDS)
    return {} if seconds is None else {"timeout": {"attemptDurationSeconds": seconds}}


def _container(plan: Plan, group: NodeGroup, work: Work, threads: str | None) -> Json:
    """The container of a job; ``threads`` of each process, if not those of the whole node."""
    volumes = [(f"host{n}", folder) for n, folder in enumerate(_folders(plan, group))]
    frozen = {s.mount for s in plan.storage if isinstance(s, Bucket) and s.read_only}
    return {
        "image": work.image,
        "command": ["/bin/bash", "-c", work.script],
        "environment": [
            {"name": key, "value": value} for key, value in _environment(group, threads).items()
        ],
        "ulimits": _ulimits(group),
        "linuxParameters": _linux(group),
        "volumes": [{"name": id, "host": {"sourcePath": path}} for id, path in volumes],
        "mountPoints": [
            {"sourceVolume": id, "containerPath": path, "readOnly": path in frozen}
            for id, path in volumes
        ],
    }


def _environment(group: NodeGroup, threads: str | None) -> dict[str, str]:
    """Variables of a process; the agent's own interface of a task reaches no other node."""
    found = torchrun.environment(group)
    if threads:
        found["OMP_NUM_THREADS"] = threads
    if "NCCL_SOCKET_IFNAME" in found:
        found["NCCL_SOCKET_IFNAME"] += ",ecs"
    return found


def _resources(group: NodeGroup, shared: bool) -> dict[str, int]:
    """A whole node, as multi-node jobs always have; or a core, and its part of the memory."""
    parts = group.type.cores if shared else 1
    needed = {"VCPU": nodes.vcpus(group) // parts, "MEMORY": nodes.memory_mib(group) // parts}
    return {**needed, **({"GPU": group.type.gpus} if group.type.gpus else {})}


def _ulimits(group: NodeGroup) -> list[Json]:
    """EFA and Neuron lock the memory of their buffers."""
    locked = {"memlock": -1} if nodes.devices(group) or group.type.gpus else {}
    limited = {**locked, "nofile": 1048576}
    return [
        {"name": name, "softLimit": value, "hardLimit": value} for name, value in limited.items()
    ]


def _shared_memory(group: NodeGroup) -> int:
    return min(_SHARED_MEMORY_MIB, nodes.memory_mib(group) // 2)


def _linux(group: NodeGroup) -> Json:
    return {
        "sharedMemorySize": _shared_memory(group),
        **filled(devices=[{"hostPath": path} for path in nodes.devices(group)]),
        "initProcessEnabled": True,
    }

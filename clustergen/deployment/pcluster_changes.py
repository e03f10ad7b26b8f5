"""What a dry run of ParallelCluster says that changes, and what of it needs consent."""

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.deployment.changes import Guard
from clustergen.deployment.kinds import ParallelCluster
from clustergen.deployment.pcluster import Pcluster

_QUEUES: Final = "Scheduling.SlurmQueues"
_OF_QUEUE: Final = re.compile(r"Scheduling\.SlurmQueues\[([^]]*)\]\.(.*)")
_SIZE: Final = re.compile(r"ComputeResources\.M(ax|in)Count")
_KEPT: Final = re.compile("(FileSystem|FileCache|Volume)Id|DeletionPolicy[^,}]*(Retain|Snapshot)")
"""In a storage whose data stays: one that exists has an id."""


class Changed(NamedTuple):
    """A parameter that changes; ``-`` stands for one that is not there."""

    parameter: str
    current: str
    requested: str

    @property
    def text(self) -> str:
        """What the user is told."""
        return f"{self.parameter}: {_short(self.current)} -> {_short(self.requested)}"


def changed(said: Json) -> Iterator[Changed]:
    """What changes, from the answer to a dry run."""
    for each in said.get("changeSet") or ():
        values = each.get("currentValue"), each.get("requestedValue")
        yield Changed(str(each.get("parameter")), *map(str, values))


def guards(
    pcluster: Pcluster, service: ParallelCluster, found: Collection[Changed]
) -> Iterator[Guard]:
    """What needs consent: data and nodes that go."""
    for mount in _deleted_storage(found):
        what = f"delete the storage at {mount}, with all data in it"
        yield Guard("replaces-resource", what)
    replaced = {*_replaced(service, found)}
    for queue in sorted({*replaced, *_ended(service, found)}):
        of = ["--node-type", "ComputeNode", "--queue-name", queue]
        if count := len([*pcluster.instances(*of)]):
            nodes = f"{count} nodes of the queue {queue}"
            what = (
                f"terminate up to {nodes}, at once and with their jobs"
                if service.terminates
                else f"replace the {nodes}, each once its jobs have ended"
            )
            yield Guard("replaces-nodes" if queue in replaced else "removes-nodes", what)


def _deleted_storage(found: Collection[Changed]) -> Iterator[str]:
    """The mounts that go with their data."""
    for parameter, current, requested in found:
        mount = re.search("MountDir.: .([^']*)", current)
        gone = parameter == "SharedStorage" and requested == "-"
        if gone and mount and not _KEPT.search(current):
            yield mount[1]


def _replaced(service: ParallelCluster, found: Collection[Changed]) -> Iterator[str]:
    for queue, key, _ in _of_queues(found):
        if any(f"{key}.".startswith(f"{each}.") for each in service.replacing):
            yield queue


def _ended(service: ParallelCluster, found: Collection[Changed]) -> Iterator[str]:
    """The queues that end nodes: those that go, or have fewer, where that happens at once."""
    if not service.terminates:
        return
    for parameter, current, requested in found:
        name = re.search("'Name': '([^']*)", current)
        if parameter == _QUEUES and requested == "-" and name:
            yield name[1]
    for queue, key, (_, current, requested) in _of_queues(found):
        fewer = _SIZE.fullmatch(key) and _number(requested) < _number(current)
        if fewer or (key == "ComputeResources" and requested == "-"):
            yield queue


def _of_queues(found: Collection[Changed]) -> Iterator[tuple[str, str, Changed]]:
    """The queue of a change, and the key without names of list items."""
    for each in found:
        if match := _OF_QUEUE.fullmatch(each.parameter):
            yield match[1], re.sub(r"\[[^]]*\]", "", match[2]), each


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


def _short(text: str) -> str:
    return f"{text[:57]}..." if len(text) > 60 else text

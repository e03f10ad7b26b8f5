"""Rules about cluster.yaml, for what its schema cannot express.

They run on documents changed by an overlay, and on what an imported spec renders to.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Path
from clustergen.overlay.parts import Json, as_list, as_map


def overlay(members: str) -> str:
    """An example with an overlay."""
    return f"targets: {{parallelcluster: {{overlay: {{{members}}}}}}}"


def queues(document: Mapping[str, Any]) -> Iterator[tuple[Path, Json]]:
    """The queues of a document, with their places."""
    found = as_list(as_map(document.get("Scheduling")).get("SlurmQueues"))
    for index, queue in enumerate(map(as_map, found)):
        yield ("Scheduling", "SlurmQueues", index), queue


def resources(path: Path, queue: Json) -> Iterator[tuple[Path, Json]]:
    """The compute resources of the queue at ``path``, with their places."""
    for index, each in enumerate(map(as_map, as_list(queue.get("ComputeResources")))):
        yield (*path, "ComputeResources", index), each


def lines(document: Mapping[str, Any]) -> Iterator[tuple[Path, Json]]:
    """The lines for slurm.conf of a document, with their places."""
    slurm = as_map(as_map(document.get("Scheduling")).get("SlurmSettings"))
    for index, line in enumerate(map(as_map, as_list(slurm.get("CustomSlurmSettings")))):
        yield ("Scheduling", "SlurmSettings", "CustomSlurmSettings", index), line

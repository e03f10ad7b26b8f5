"""Configurations of older versions, in the words of 3.16."""

from collections.abc import Mapping
from typing import Any, Final

from clustergen.importing.machines import items, section
from clustergen.importing.notes import Notes
from clustergen.targets.parallelcluster.limits import VERSION

# Systems that ParallelCluster once had, with the ones that follow them; pcluster.constants:
# SUPPORTED_OSES no longer has them (3.16.1, read on 2026-11-22).
_SYSTEMS: Final = {
    "alinux2": "alinux2023",
    "centos7": "rocky9",
    "centos8": "rocky9",
    "ubuntu1804": "ubuntu2204",
    "ubuntu2004": "ubuntu2204",
}


def modern(configuration: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """The configuration without what this version no longer accepts; each change is a finding."""
    found = dict(configuration)
    found["Image"] = _image(section(found, "Image"), notes)
    scheduling = section(found, "Scheduling")
    queues = items(scheduling, "SlurmQueues")
    renewed = [_queue(queue, index, notes) for index, queue in enumerate(queues)]
    found["Scheduling"] = {**scheduling, "SlurmQueues": renewed}
    if "LoginNodes" in found:
        login = section(found, "LoginNodes")
        pools = [_pool(pool, index, notes) for index, pool in enumerate(items(login, "Pools"))]
        found["LoginNodes"] = {**login, "Pools": pools}
    return found


def _image(image: dict[str, Any], notes: Notes) -> dict[str, Any]:
    os = str(image.get("Os", ""))
    if os in _SYSTEMS:
        path = ("Image", "Os")
        notes.rewritten(path, f"ParallelCluster {VERSION} has no {os}; now {_SYSTEMS[os]}")
        return {**image, "Os": _SYSTEMS[os]}
    return image


def _queue(queue: Any, index: int, notes: Notes) -> dict[str, Any]:
    renewed = dict(queue) if isinstance(queue, Mapping) else {}
    path = ("Scheduling", "SlurmQueues", index)
    if "KeyName" in section(renewed, "Ssh"):
        del renewed["Ssh"]
        notes.rewritten((*path, "Ssh"), "queues use the head node's key; removed")
    return renewed


def _pool(pool: dict[str, Any], index: int, notes: Notes) -> dict[str, Any]:
    """A pool without a key pair of its own, which was in earlier versions."""
    ssh = section(pool, "Ssh")
    if ssh.pop("KeyName", None) is None:
        return pool
    path = ("LoginNodes", "Pools", index, "Ssh", "KeyName")
    notes.rewritten(path, "login nodes use the head node's key; removed")
    rest = {key: value for key, value in pool.items() if key != "Ssh"}
    return rest | ({"Ssh": ssh} if ssh else {})

"""``verify.sh``: checks on a running node of each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clustergen import shell
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import Bucket, Lustre, NodeGroup, Plan

Check = tuple[str | int, ...]
"""A function of the script and its arguments."""


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes of one kind, and the checks on each of them."""

    name: str
    checks: tuple[Check, ...]


def script(
    template: str, groups: Sequence[Group], *, docker_folders: str = "", **values: Any
) -> str:
    """The script, with only the functions that its checks use.

    ``docker_folders`` is an extended regular expression for folders of Docker images.
    """
    used = {check[0] for group in groups for check in group.checks}
    return shell.render(template, groups=groups, used=used, docker_folders=docker_folders, **values)


def active(*services: str) -> Iterator[Check]:
    """Checks that services run."""
    return (("active", service) for service in services)


def hardware(group: NodeGroup) -> Iterator[Check]:
    """Checks that a node has all accelerators and EFA devices."""
    kind, count = group.accelerators
    if count:
        yield ("accelerators", kind, count)
    yield ("efa", group.efa_interfaces)


def lustre_efa(plan: Plan, group: NodeGroup) -> Iterator[Check]:
    """Checks that writes to Lustre use EFA: it falls back to TCP silently."""
    if lustre_interfaces(plan, group):
        for item in plan.storage:
            if isinstance(item, Lustre) and item.efa:
                yield ("lustre_efa", item.mount)


def scratch(group: NodeGroup) -> Iterator[Check]:
    """Checks that local disks are mounted."""
    if group.scratch:
        yield ("bound", group.scratch)


def storage_and_users(plan: Plan, shared: Iterable[str]) -> Iterator[Check]:
    """Checks that file systems are mounted and users have their ids; ``shared`` has mount paths."""
    yield from (("mounted", place) for place in shared)
    yield from (("bound", item.mount) for item in plan.storage if isinstance(item, Bucket))
    yield from (("person", user.name, user.uid) for user in plan.users)

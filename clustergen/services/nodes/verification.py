"""``verify.sh``: checks on a running node of each group."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clustergen.base import shell
from clustergen.facts.catalog import InstanceType
from clustergen.plan import nics
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


def enabled(*services: str) -> Iterator[Check]:
    """Checks that services are there, and start at boot or for a job."""
    return (("enabled", service) for service in services)


def devices(plan: Plan, group: NodeGroup) -> tuple[str, str | int, str | int]:
    """Kind and number of a node's accelerators, and its EFA devices.

    Numbers that depend on the instance type are as in ``TYPE=NUMBER,...``.
    """
    kind = group.accelerators[0]
    counts = {t.name: t.neuron_devices if kind == "neuron" else t.gpus for t in group.types}
    efa = {type.name: efa_devices(plan, group, type) for type in group.types}
    return kind, _by_type(counts), _by_type(efa)


def efa_devices(plan: Plan, group: NodeGroup, type: InstanceType) -> int:
    """Of a node: SageMaker attaches EFA to all that support it, whatever the spec says."""
    if not plan.sagemaker:
        return group.efa_interfaces
    attached = nics.with_efa(type, group.efa_layout, 1) if type.efa else ()
    return sum(interface.type != "interface" for interface in attached)


def _by_type(numbers: Mapping[str, int]) -> str | int:
    first, *others = dict.fromkeys(numbers.values())
    return ",".join(f"{name}={number}" for name, number in numbers.items()) if others else first


def hardware(plan: Plan, group: NodeGroup) -> Iterator[Check]:
    """Checks that a node has all accelerators and EFA devices."""
    kind, count, efa = devices(plan, group)
    if count:
        yield ("accelerators", kind, count)
    yield ("efa", efa)


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


def storage_and_users(
    plan: Plan, shared: Iterable[str], *, by_table: bool = False
) -> Iterator[Check]:
    """Checks that file systems are mounted and users have their ids; ``shared`` has mount paths.

    ``by_table``: the script does not name users, and asks for those of the node's table.
    """
    yield from (("mounted", place) for place in shared)
    yield from (("bound", item.mount) for item in plan.storage if isinstance(item, Bucket))
    if by_table and plan.users:
        yield ("users",)
    else:
        yield from (("person", user.name, user.uid) for user in plan.users)

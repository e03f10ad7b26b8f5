"""Where a plan uses something: what the table of features is written with."""

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter

from clustergen.base.findings import Path
from clustergen.plan.features.model import Uses
from clustergen.plan.model import Lustre, Machine, NodeGroup, Plan, Script, Storage


def chosen(field: str, value: object) -> Uses:
    """A field, as in ``slurm.accounting``, that has the value in the plan."""
    find = attrgetter(field)
    return when(tuple(field.split(".")), lambda plan: find(plan) == value)


metrics = partial(chosen, "monitoring.metrics")
dashboards = partial(chosen, "monitoring.dashboards")


def given(field: str) -> Uses:
    """A field that is not empty in the plan."""
    return when(tuple(field.split(".")), attrgetter(field))


def capacity(kind: str) -> Uses:
    return lambda plan: (g.at("capacity") for g in plan.node_groups if g.capacity.kind == kind)


def storage(kind: type[Storage]) -> Uses:
    return lambda plan: (s.path for s in plan.storage if isinstance(s, kind))


def lustre(test: Callable[[Lustre], object], *field: str) -> Uses:
    return lambda plan: (
        s.at(*field) for s in plan.storage if isinstance(s, Lustre) and not s.existing and test(s)
    )


def groups(test: Callable[[NodeGroup], object], *field: str) -> Uses:
    return lambda plan: (g.at(*field) for g in plan.node_groups if test(g))


def group_field(name: str) -> Uses:
    """A field of node groups that is not empty."""
    return groups(attrgetter(name), name)


def scripts(test: Callable[[Script], object], field: str) -> Uses:
    return lambda plan: ((*script.path, field) for script in plan.software.scripts if test(script))


def family(*prefixes: str) -> Uses:
    return groups(lambda g: any(t.family.startswith(prefixes) for t in g.types), "instance_type")


def written(field: str) -> Uses:
    path = tuple(field.split("."))
    return lambda plan: [path] if plan.wrote(*path) else []


def when(path: Path, test: Callable[[Plan], object]) -> Uses:
    return lambda plan: [path] if test(plan) else []


def nodes(test: Callable[[Machine | NodeGroup], object], *field: str) -> Uses:
    """Head, login and compute nodes."""
    return lambda plan: (
        node.at(*field)
        for node in (plan.head, plan.login, *plan.node_groups)
        if node and test(node)
    )


HEAD_STAYS = ("head_node", "root_volume", "on_delete")


def own_subnets(plan: Plan) -> Iterator[Path]:
    if plan.head and plan.head.subnets:
        yield plan.head.at("subnet")
    for node in (plan.login, *plan.node_groups):
        by_zone = isinstance(node, NodeGroup) and node.zone
        if node and node.subnets and not by_zone:
            yield node.at("subnets")


def mixed_architecture(plan: Plan) -> bool:
    return len({type.arch for type in plan.instance_types}) > 1


def parts_of_groups(plan: Plan) -> Iterator[Path]:
    for queue in plan.queues:
        if queue.nodes:
            yield queue.at("nodes")


def shared_groups(plan: Plan) -> Iterator[Path]:
    seen: set[str] = set()
    for queue in plan.queues:
        for index, group in enumerate(queue.node_groups):
            if group.name in seen:
                yield queue.at("node_groups", index)
            seen.add(group.name)

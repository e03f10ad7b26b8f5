"""Queues over some nodes of a group."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, rule, unsafe, unwanted
from clustergen.plan import numbers
from clustergen.spec import Spec


@rule(
    "SPC059",
    "Queue over nodes that do not exist",
    why="`nodes` narrows a group of the queue to some of its nodes, which count from 1 to the "
    "maximum of the group.",
    source="the language, version 1",
    bad="queues: [{name: all, node_groups: [h200]}, "
    "{name: debug, node_groups: [h200], nodes: {h200: 1-8}}]",
    fatal=True,
)
def nodes_of_queues(spec: Spec) -> Iterator[Problem]:
    sizes = {group.name: group.count.max for group in spec.node_groups}
    for index, queue in enumerate(spec.queues):
        for name, text in queue.nodes.items():
            path = ("queues", index, "nodes", name)
            if name not in queue.node_groups:
                yield _other_group(path, name, queue.name, queue.node_groups)
            elif problem := _numbers(path, text, sizes.get(name)):
                yield problem


def _other_group(path: Path, name: str, queue: str, groups: list[str]) -> Problem:
    return unwanted(
        path,
        f"`nodes` names {name!r}, which is not in node_groups of queue {queue!r}",
        help=f"add {name} to its node_groups, or name one of {', '.join(groups)}",
        on_key=True,
    )


def _numbers(path: Path, text: str, size: int | None) -> Problem | None:
    """The problem with the numbers, if there is one; an unknown group is SPC031."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        if last and int(last) < int(first):
            turned = text.replace(part, f"{last}-{first}")
            return Problem(
                path,
                f"the range {part} is reversed",
                help=f"write {turned}",
                fix=unsafe(put(path, turned)),
            )
    highest = numbers.ranges(text)[-1].stop - 1
    if size is None or highest <= size:
        return None
    return Problem(
        path,
        f"node group {path[-1]!r} has no node {highest}",
        help=f"write numbers from 1 to {size}, or raise its count",
        fix=unsafe(put(path, f"1-{size}" if size > 1 else "1")),
    )

"""What needs continuous provisioning, on both targets of HyperPod."""

from collections.abc import Iterable, Iterator

from clustergen.base.findings import Fix, Problem
from clustergen.plan.model import NodeGroup


def several_types(groups: Iterable[NodeGroup]) -> Iterator[Problem]:
    """Groups of more than one instance type; ``help`` names another way, here and below."""
    for group in groups:
        if len(group.types) > 1:
            text = f"{group.name} has {len(group.types)} types"
            yield Problem(group.at("instance_types"), text, "write one group for each type")


def minimums(groups: Iterable[NodeGroup]) -> Iterator[Problem]:
    """Groups whose number of nodes varies above a minimum."""
    for group in groups:
        if 0 < group.min < group.max:
            text = f"{group.name} has a minimum of {group.min} nodes"
            yield Problem(group.at("count"), text, f"write count: {group.max}")


def all_at_once(needs: Iterable[Problem], way: str, fix: Fix | None) -> Iterator[Problem]:
    """Problems of needs without continuous provisioning, which ``way`` and ``fix`` turn on."""
    for each in needs:
        text = f"{each.message}, but the nodes come all at once"
        yield each._replace(message=text, help=f"{way}, or {each.help}", fix=fix)

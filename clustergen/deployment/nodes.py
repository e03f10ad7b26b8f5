"""The nodes of a cluster, for people who look after it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop, at

_THERE: Final = ["pending", "running", "shutting-down", "stopping", "stopped"]


TESTS: Final = "smoke"
"""The folder of the tests of a bundle."""


class Node(NamedTuple):
    """A node of a cluster."""

    group: str
    id: str
    state: str
    """In the words of its service."""
    address: str = ""
    """In the VPC, where it is known."""
    public: str = ""

    @property
    def runs(self) -> bool:
        """Whether commands can run on it: a node of ECS that is drained does."""
        return self.state.lower() in ("running", "active", "draining")

    @property
    def ends(self) -> bool:
        return self.state.lower() in ("shutting-down", "terminated", "deleting")


def tagged(run: Run, tag: str, groups: Mapping[str, str], **more: str) -> Iterator[Node]:
    """The instances with a tag; ``groups`` are node groups by its value.

    They have all ``more`` tags, too.
    """
    if not groups:
        return
    filters = [
        {"Name": f"tag:{tag}", "Values": [*groups]},
        {"Name": "instance-state-name", "Values": _THERE},
        *({"Name": f"tag:{name}", "Values": [value]} for name, value in more.items()),
    ]
    found = run.world.ask_all("ec2:DescribeInstances", "Reservations", Filters=filters) or []
    for each in (instance for one in found for instance in one.get("Instances", ())):
        values = {pair["Key"]: pair["Value"] for pair in each.get("Tags", ())}
        group, state = groups.get(values.get(tag, ""), ""), str(at(each, "State.Name"))
        addresses = each.get("PrivateIpAddress", ""), each.get("PublicIpAddress", "")
        yield Node(group, each["InstanceId"], state, *addresses)


def tests_of(run: Run, kind: str, group: str, form: str) -> list[str]:
    """The files of a kind with tests, all or those of a node group; ``form`` as below.

    :raises Stop: if there are none.
    """
    every = {path.name: path.stem for path in sorted((run.folder / TESTS).glob(f"*.{kind}"))}
    if found := of_group(run.bundle.groups, every, group, form) if group else [*every]:
        return found
    raise Stop(f"the bundle has no tests{f' of {group}' if group else ''}.")


def of_group(groups: Iterable[str], named: Mapping[str, str], group: str, form: str) -> list[str]:
    """Those of some things whose names have that of a node group: one may be the end of another.

    ``named`` are names by thing; ``form`` is ``{}-`` where they begin with the group, ``-{}`` where
    they end with it.
    """

    def owner(name: str) -> str:
        ends = name.endswith if form.startswith("-") else name.startswith
        found = (each for each in groups if ends(form.format(each)))
        return max(found, key=len, default="")

    return [thing for thing, name in named.items() if owner(name) == group]

"""Queues and their compute resources."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from clustergen.base.findings import Path, Problem, Severity
from clustergen.facts.catalog import InstanceType, find
from clustergen.overlay.parts import as_list, as_map, maps
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.queues import Weighed, hasty
from clustergen.targets.parallelcluster.rules import rule, warning
from clustergen.targets.parallelcluster.rules.document import queues, resources

_SCHEDULING = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html"
_NO = (False, "false")


class _Resource(NamedTuple):
    path: Path
    queue: Mapping[str, Any]
    given: Mapping[str, Any]

    def problem(self, place: Path, message: str, help: str) -> Problem:
        return Problem(place, f"{self.given.get('Name')} {message}", help=help)

    def in_queue(self, *keys: str) -> Path:
        return (*self.path[:-2], *keys)

    @property
    def types(self) -> list[InstanceType]:
        """Those that the catalog knows."""
        names = [self.given.get("InstanceType")]
        names += [each.get("InstanceType") for each in maps(self.given.get("Instances"))]
        return [found for name in names if name and (found := find(str(name)))]

    @property
    def has_efa(self) -> bool:
        return as_map(self.given.get("Efa")).get("Enabled") not in (None, *_NO)

    @property
    def network(self) -> Mapping[str, Any]:
        return as_map(self.queue.get("Networking"))

    @property
    def subnets(self) -> list[Any]:
        return as_list(self.network.get("SubnetIds"))

    @property
    def placement(self) -> Mapping[str, Any]:
        """Its own placement group, or else that of its queue."""
        own = as_map(self.given.get("Networking")).get("PlacementGroup")
        return as_map(self.network.get("PlacementGroup") if own is None else own)

    @property
    def reservation(self) -> Mapping[str, Any]:
        own, shared = (each.get("CapacityReservationTarget") for each in (self.given, self.queue))
        return as_map(own or shared)


def _resources(document: Mapping[str, Any]) -> Iterator[_Resource]:
    for path, queue in queues(document):
        yield from (_Resource(place, queue, each) for place, each in resources(path, queue))


def _in_queue(members: str) -> str:
    """An example overlay of the queue of group h200."""
    return f"""targets:
  parallelcluster:
    overlay: {{Scheduling: {{SlurmQueues: [{{Name: h200, {members}}}]}}}}"""


@rule(
    "OVL102",
    "Network that compute nodes cannot have",
    why="EC2 gives no public address to a node of several interfaces, and EFA has one of its own. "
    "EFA and a placement group are in one zone. ParallelCluster starts a single type in one "
    "subnet, and with EFA it asks whether there is a placement group.",
    source=f"{_SCHEDULING}#yaml-Scheduling-SlurmQueues-Networking",
    bad=_in_queue("Networking: {AssignPublicIp: true}"),
    good=_in_queue("Networking: {AssignPublicIp: false}"),
)
def network(document: Mapping[str, Any]) -> Iterator[Problem]:
    for resource in _resources(document):
        yield from _of_network(resource, _is_efa_only(document))


def _is_efa_only(document: Mapping[str, Any]) -> bool:
    """Whether EFA has an interface of its own, as it has unless a setting of developers says so."""
    return as_map(document.get("DevSettings")).get("EfaInterfaceType") != "efa"


def _of_network(resource: _Resource, efa_only: bool) -> Iterator[Problem]:
    cards = min((len(type.cards) for type in resource.types), default=1)
    several = (resource.has_efa and efa_only) or cards > 1
    if several and resource.network.get("AssignPublicIp") not in (None, *_NO):
        yield resource.problem(
            resource.in_queue("Networking", "AssignPublicIp"),
            "has a public address and several network interfaces",
            "set AssignPublicIp to false, in a private subnet with a NAT gateway",
        )
    placed = resource.placement
    grouped = bool(placed) and placed.get("Enabled") not in _NO
    if len(resource.subnets) > 1:
        for text, holds in {
            "EFA": resource.has_efa,
            "a placement group": grouped,
            "one InstanceType": "InstanceType" in resource.given,
        }.items():
            if holds:
                message = f"has {text} and {len(resource.subnets)} subnets"
                place = resource.in_queue("Networking", "SubnetIds")
                yield resource.problem(place, message, "keep one subnet")
    elif resource.has_efa and not placed and not _is_block(resource):
        yield resource.problem(
            (*resource.path, "Efa"),
            "has EFA, and nothing says whether it is in a placement group",
            "add PlacementGroup: {Enabled: true}, or false",
        )


def _is_block(resource: _Resource) -> bool:
    return bool(resource.queue.get("CapacityType") == "CAPACITY_BLOCK")


@rule(
    "OVL103",
    "Capacity that compute nodes cannot have",
    why="A reservation or Capacity Block holds one type, which InstanceType names, and a Capacity "
    "Block needs its id.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-odcr-v3.html",
    bad=_in_queue("CapacityType: CAPACITY_BLOCK"),
    good=_in_queue(
        "CapacityType: CAPACITY_BLOCK, "
        "CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}"
    ),
)
def capacity(document: Mapping[str, Any]) -> Iterator[Problem]:
    for resource in _resources(document):
        target = resource.reservation
        if "CapacityReservationId" in target and "Instances" in resource.given:
            yield resource.problem(
                (*resource.path, "Instances"),
                "is a reservation with Instances",
                "write InstanceType instead",
            )
        elif _is_block(resource) and "CapacityReservationId" not in target:
            yield resource.problem(
                resource.in_queue("CapacityType"),
                "is a Capacity Block without its id",
                "add CapacityReservationTarget",
            )


@rule(
    "OVL104",
    "More memory for jobs than nodes have, or less",
    why="With more memory than a node has, Slurm starts jobs that do not fit. Jobs cannot use what "
    "is left out; the default is 95 %.",
    source=f"{_SCHEDULING}#yaml-Scheduling-SlurmQueues-ComputeResources-SchedulableMemory",
    bad=_in_queue("ComputeResources: [{Name: h200, SchedulableMemory: 9000000}]"),
    good=_in_queue("ComputeResources: [{Name: h200, SchedulableMemory: 2000000}]"),
)
def memory(document: Mapping[str, Any]) -> Iterator[Problem]:
    for resource in _resources(document):
        wanted = resource.given.get("SchedulableMemory")
        least = min(resource.types, key=lambda type: type.memory_mib, default=None)
        if not isinstance(wanted, int) or not least:
            continue
        path = (*resource.path, "SchedulableMemory")
        if wanted > least.memory_mib:
            message = f"{least.name} has {least.memory_mib} MiB of memory, not {wanted}"
            help = f"write at most {least.memory_mib}; 95 % is the default"
            yield Problem(path, message, help=help)
        elif wanted < int(limits.SCHEDULABLE_SHARE * least.memory_mib):
            message = f"jobs get {wanted} of the {least.memory_mib} MiB of {least.name}"
            yield Problem(path, message, help="remove it for 95 %", severity=Severity.NOTE)


_PRIORITY = """node_groups: [{{name: h200, count: {{min: 1, max: 2}}}}]
targets:
  parallelcluster:
    overlay: {{Scheduling: {{SlurmQueues: [{{Name: h200, ComputeResources: [
      {{Name: h200, StaticNodePriority: {}}}]}}]}}}}"""


@warning(
    "OVL108",
    "Priority that makes Slurm start nodes while others are idle",
    why="Slurm uses nodes of the lowest priority first. Jobs would start nodes, and wait for them, "
    "while static ones are idle.",
    source=f"{_SCHEDULING}#yaml-Scheduling-SlurmQueues-ComputeResources-StaticNodePriority",
    bad=_PRIORITY.format(2000),
    good=_PRIORITY.format(20),
)
def priorities(document: Mapping[str, Any]) -> Iterator[Problem]:
    for path, queue in queues(document):
        if message := hasty(_weighed(each) for _, each in resources(path, queue)):
            help = "write a StaticNodePriority below each DynamicNodePriority"
            yield Problem((*path, "ComputeResources"), message, help=help)


def _weighed(resource: Mapping[str, Any]) -> Weighed:
    keys = ("MinCount", "MaxCount", "StaticNodePriority", "DynamicNodePriority")
    given = zip(keys, (*limits.DEFAULT_COUNTS, *limits.DEFAULT_PRIORITIES), strict=True)
    found = (n if isinstance(n := resource.get(key), int) else default for key, default in given)
    return Weighed(str(resource.get("Name")), *found)

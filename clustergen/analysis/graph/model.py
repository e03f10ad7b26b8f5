"""Boxes in boxes: what a plan is made of, by where it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from clustergen.bundle.readme.storage import described
from clustergen.plan import endpoints
from clustergen.plan.model import Bucket, Machine, NodeGroup, Plan, Ref, Storage, Subnet
from clustergen.plan.network import capacity
from clustergen.services.cost.network import public_machines
from clustergen.services.cost.nodes import OPTIONS, machines
from clustergen.services.cost.pricing import span
from clustergen.targets import Target

Kind = Literal["region", "service", "vpc", "subnet", "nodes", "storage", "network"]

MOST: Final = 8
"""Boxes of one kind beside each other; more are summed up in one."""


@dataclass(frozen=True, slots=True)
class Box:
    """Something with a title, lines of text, and boxes inside."""

    kind: Kind
    title: str
    lines: tuple[str, ...] = ()
    inside: tuple[Box, ...] = ()
    changed: bool = False
    """Something happens to it; a line says what."""

    def all(self) -> Iterator[Box]:
        """The box and all boxes inside."""
        yield self
        for box in self.inside:
            yield from box.all()

    def noted(self, notes: Mapping[str, str]) -> Box:
        """The box, with ``notes`` at node groups and storage, by title."""
        inside = tuple(box.noted(notes) for box in self.inside)
        note = notes.get(self.title) if self.kind in ("nodes", "storage") else None
        lines = (*self.lines, note) if note else self.lines
        return replace(self, inside=inside, lines=lines, changed=bool(note))


def diagram(plan: Plan, target: Target) -> Box:
    buckets = (_storage(item) for item in plan.storage if isinstance(item, Bucket))
    inside = (_service(plan, target), _vpc(plan), *buckets)
    return Box("region", f"{plan.name}: {plan.region}", (), inside)


def _service(plan: Plan, target: Target) -> Box:
    names = [queue.name for queue in plan.queues]
    queues = [f"queue {name}" for name in names[:MOST]]
    if more := names[MOST:]:
        queues.append(f"and {len(more)} more queues")
    existing = plan.existing.named
    if joined := existing.get("cluster") or existing.get("eks_cluster"):
        queues.insert(0, f"existing cluster {joined.rpartition('/')[2]}")
    if target.traits.scheduler == "kubernetes":
        queues.insert(0, f"Kubernetes {plan.kubernetes.version}")
    if plan.system:  # the cluster is ours, not one that exists
        public = plan.kubernetes.public_endpoint_from
        queues.insert(1, f"{'public and private' if public else 'private'} API endpoint")
    return Box("service", target.title, tuple(queues))


def _vpc(plan: Plan) -> Box:
    network = plan.network
    title = f"VPC, {'new' if network.new else network.vpc}"
    inside = [*_public(plan), _nodes_subnet(plan)]
    inside += (
        Box("subnet", _subnet_title("Private subnet", place), _addresses(place))
        for place in network.private[1:]
    )
    inside += (
        Box(
            "subnet",
            _subnet_title("Private subnet", place),
            _addresses(place),
            tuple(_groups([group for group in plan.node_groups if group.subnets == (place.id,)])),
        )
        for place in network.zonal
    )
    inside += (*_kubernetes(plan), *_endpoints(plan))
    return Box("vpc", title, (network.cidr,) if network.cidr else (), tuple(inside))


def _endpoints(plan: Plan) -> Iterator[Box]:
    """The endpoints of a new VPC, or those that an existing one without internet must have."""
    network = plan.network
    services = endpoints.created(plan) if network.new else ()
    if network.closed and not network.new:
        services = endpoints.needed(plan)
    interfaces = endpoints.interfaces(services)
    gateways = [service for service in services if service not in interfaces]
    titles = {"s3": "S3", "dynamodb": "DynamoDB"}
    if gateways:
        names = " and ".join(titles[service] for service in gateways)
        yield Box("network", f"{names} gateway endpoint{'s' if gateways[1:] else ''}")
    if interfaces:
        lines = (", ".join(interfaces[n : n + 4]) for n in range(0, len(interfaces), 4))
        yield Box("network", "Interface endpoints", tuple(lines))


def _public(plan: Plan) -> Iterator[Box]:
    network = plan.network
    for place in network.public[:1]:
        inside = [Box("network", "NAT gateway")] if network.new else []
        public = public_machines(plan).values()
        inside += (_machine(title, each) for title, each in machines(plan) if each in public)
        yield Box("subnet", _subnet_title("Public subnet", place), (), tuple(inside))


def _system_subnets(plan: Plan) -> list[Subnet]:
    """Subnets for the system nodes of EKS only, which a new VPC has."""
    if plan.system is None or not plan.network.new:
        return []
    return [place for place in plan.network.system if place not in plan.network.private]


def _kubernetes(plan: Plan) -> Iterator[Box]:
    """One box for the system subnets, over which system nodes are spread."""
    if plan.system and (places := _system_subnets(plan)):
        zones = " and ".join(place.zone or "a zone" for place in places)
        lines = [line for place in places for line in _addresses(place)]
        inside = (_machine("system nodes", plan.system),)
        yield Box("subnet", f"System subnets, {zones}", tuple(lines), inside)


def _nodes_subnet(plan: Plan) -> Box:
    """The subnet of nodes and file systems, with the addresses that they need at most."""
    (place, *_) = plan.network.private
    apart = [*public_machines(plan).values(), *([plan.system] if _system_subnets(plan) else ())]
    inside = [_machine(title, each) for title, each in machines(plan) if each not in apart]
    zonal = {(other.id,) for other in plan.network.zonal}
    inside += _groups([group for group in plan.node_groups if group.subnets not in zonal])
    inside += (_storage(item) for item in plan.storage if not isinstance(item, Bucket))
    needed = f"{plan.network.needed_addresses:,} addresses needed at most"
    lines = (*_addresses(place), needed)
    return Box("subnet", _subnet_title("Private subnet", place), lines, tuple(inside))


def _subnet_title(what: str, place: Subnet) -> str:
    zone = f", {place.zone}" if place.zone else ""
    id = "" if isinstance(place.id, Ref) else f" {place.id}"
    return f"{what}{id}{zone}"


def _addresses(place: Subnet) -> tuple[str, ...]:
    return (f"{place.cidr}: {capacity(place.cidr):,} addresses",) if place.cidr else ()


def _machine(title: str, machine: Machine) -> Box:
    return Box("nodes", title, (f"{machine.count} x {machine.type.name}",))


def _groups(groups: Sequence[NodeGroup]) -> Iterator[Box]:
    """A box for each group; beyond :data:`MOST`, one for those with the same type and option."""
    if len(groups) <= MOST:
        yield from map(_group, groups)
        return
    alike: dict[tuple[str, str], list[NodeGroup]] = {}
    for group in groups:
        alike.setdefault((group.type.name, group.capacity.kind), []).append(group)
    boxes = [_group(same[0]) if len(same) == 1 else _together(same) for same in alike.values()]
    yield from boxes[:MOST]
    if rest := list(alike.values())[MOST:]:
        yield _together([group for same in rest for group in same])


def _group(group: NodeGroup) -> Box:
    return Box("nodes", group.name, tuple(_facts(group)))


def _facts(group: NodeGroup) -> Iterator[str]:
    names = " or ".join(type.name for type in group.types)
    yield f"{span(group.min, group.max)} x {names}"
    count = group.accelerators[1]
    if count and group.type.accelerator:
        yield f"{count} x {group.type.accelerator.name} in each"
    yield OPTIONS[group.capacity.kind]
    cards = len({interface.card for interface in group.interfaces})
    if group.efa_interfaces:
        yield f"{group.efa_interfaces} EFA on {cards} network card{'s' if cards > 1 else ''}"
    if group.placement.kind != "none":
        yield "in a placement group"


def _together(groups: Iterable[NodeGroup]) -> Box:
    found = list(groups)
    least, most = sum(group.min for group in found), sum(group.max for group in found)
    types = list(dict.fromkeys(group.type.name for group in found))
    named = types[0] if len(types) == 1 else f"{len(types)} types"
    option = OPTIONS[found[0].capacity.kind] if len(types) == 1 else "several purchase options"
    lines = (f"{span(least, most)} x {named}", option)
    return Box("nodes", f"{len(found)} node groups", lines)


def _storage(item: Storage) -> Box:
    return Box("storage", item.mount, described(item))

"""Instances: node groups by purchase option, and head, login and system nodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clustergen.facts.catalog import InstanceType, blocks
from clustergen.facts.catalog.prices import Book, Price, place_of
from clustergen.plan import sizes
from clustergen.plan.model import CapacityKind, Machine, NodeGroup, Plan
from clustergen.plan.timetable import iso
from clustergen.services.cost.model import Line, Units
from clustergen.services.cost.pricing import span
from clustergen.spec.quantities import format_duration

OPTIONS: Final[Mapping[CapacityKind, str]] = {
    "on-demand": "On-Demand",
    "spot": "Spot",
    "reservation": "On-Demand Capacity Reservation",
    "reservation-group": "On-Demand Capacity Reservations",
    "capacity-block": "Capacity Block",
    "interruptible-reservation": "interruptible Capacity Reservation",
    "training-plan": "training plan",
}

# A reservation is billed at the On-Demand rate, used or not:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
_HELD: Final = ("reservation", "reservation-group")


def lines(plan: Plan, book: Book) -> Iterator[Line]:
    """A line for each node group, and for each other kind of node."""
    for group in plan.node_groups:
        yield node_group(plan, group, book)
    for title, machine in machines(plan):
        yield _machine(plan, title, machine, book)


def machines(plan: Plan) -> Iterator[tuple[str, Machine]]:
    """The nodes outside the node groups, with their titles."""
    titled = {"head node": plan.head, "login nodes": plan.login, "system nodes": plan.system}
    titled |= {f"login nodes {machine.name}": machine for machine in plan.more_login}
    return ((title, machine) for title, machine in titled.items() if machine)


def node_group(plan: Plan, group: NodeGroup, book: Book) -> Line:
    """The instances of a node group, for as long as their capacity lasts."""
    line = _node_group(plan, group, book)
    starts, ends = group.capacity.starts, group.capacity.ends
    if not starts or not ends or ends <= starts:
        return line
    hours = (ends - starts).total_seconds() / 3600
    what = f"{line.what}, {format_duration(round(hours * 3600))} from {iso(starts)}"
    return replace(line, what=what, length_hours=hours)


def _node_group(plan: Plan, group: NodeGroup, book: Book) -> Line:
    kind = group.capacity.kind
    nodes = _Nodes(
        *(group.name, group.types, sizes.without_jobs(plan, group), group.max, OPTIONS[kind]),
        by_vcpus=plan.scheduler == "batch",
    )
    place = _place(plan)
    if kind in ("capacity-block", "training-plan"):
        return _block(nodes, place, book, plan=kind == "training-plan")
    if kind == "spot":
        return _spot(nodes, place, book, sagemaker=plan.sagemaker)
    if kind in _HELD:
        held = _Nodes(group.name, group.types, group.max, group.max, OPTIONS[kind])
        return _at_list_price(held, place, book, note="billed while it is held, used or not")
    return _at_list_price(nodes, place, book, sagemaker=plan.sagemaker, note=_growth(plan, group))


def _growth(plan: Plan, group: NodeGroup) -> str:
    """When nodes above the minimum start, where jobs do not start them."""
    waiting = plan.limits.minimum and plan.kubernetes.autoscaler != "karpenter"
    if group.static or not waiting:
        return ""
    return "those above the minimum start as soon as there is capacity"


def _machine(plan: Plan, title: str, machine: Machine, book: Book) -> Line:
    nodes = _Nodes(title, (machine.type,), machine.count, machine.count, "On-Demand")
    # System nodes of EKS are EC2 instances, and in zones of the region.
    system = machine is plan.system
    place = plan.region if system else _place(plan)
    return _at_list_price(nodes, place, book, sagemaker=plan.sagemaker and not system)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Nodes with the same purchase option; each has one of ``types``."""

    name: str
    types: Sequence[InstanceType]
    least: int
    most: int
    option: str
    by_vcpus: bool = False
    """Whether both stand for the vCPUs of so many of the largest type."""

    def amounts(self, count: int, prices: Sequence[Price]) -> list[Units]:
        largest = max(type.vcpus for type in self.types)
        return [
            Units(count * largest // type.vcpus if self.by_vcpus else count, price)
            for type, price in zip(self.types, prices, strict=True)
        ]

    @property
    def what(self) -> str:
        counted = span(self.least, self.most)
        return f"{counted} x {' or '.join(type.name for type in self.types)}, {self.option}"

    def unknown(self, reason: str) -> Line:
        return Line(part="nodes", name=self.name, what=self.what, unknown=reason)


def _at_list_price(
    nodes: _Nodes, place: str, book: Book, *, sagemaker: bool = False, note: str = ""
) -> Line:
    names = [f"HyperPod {t.ml_name}" if sagemaker else f"EC2 {t.name}" for t in nodes.types]
    found = [book.find(name, place) for name in names]
    missing = [name for name, price in zip(names, found, strict=True) if not price]
    if missing:
        return nodes.unknown(f"no price of {' and '.join(missing)} is known in {place}")
    known = [price for price in found if price]
    low = min(nodes.amounts(nodes.least, known), key=lambda amount: amount.usd(1))
    high = max(nodes.amounts(nodes.most, known), key=lambda amount: amount.usd(1))
    return Line(part="nodes", name=nodes.name, what=nodes.what, low=(low,), high=(high,), note=note)


def _block(nodes: _Nodes, place: str, book: Book, *, plan: bool) -> Line:
    """A block or a plan: paid for all instances in advance, so its minimum is its maximum."""
    (type, *_) = nodes.types
    whole = _Nodes(nodes.name, nodes.types, nodes.most, nodes.most, nodes.option)
    found = blocks.rate(type.name, place, book)
    if found is None:
        return whole.unknown(f"no {nodes.option} rate of {type.name} is known in {place}")
    price, units = found
    amount = (Units(nodes.most * units * (blocks.PLAN_FACTOR if plan else 1), price),)
    fee = "paid in advance for whole days, used or not"
    estimated = f"estimate: {blocks.PLAN_FACTOR} x the Capacity Block rate; {fee}"
    return Line(
        part="nodes",
        name=nodes.name,
        what=whole.what,
        low=amount,
        high=amount,
        note=estimated if plan else fee,
        upfront=True,
        estimate=plan,
    )


# Without a maximum price, a Spot request pays at most the On-Demand price:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/how-spot-instances-work.html
def _spot(nodes: _Nodes, place: str, book: Book, *, sagemaker: bool) -> Line:
    if sagemaker:
        return nodes.unknown("HyperPod publishes no Spot prices")
    ceiling = _at_list_price(nodes, place, book)
    if ceiling.unknown:
        return nodes.unknown("the market sets the Spot price")
    most = ceiling.usd(1)[1]
    return nodes.unknown(
        f"the market sets the Spot price; {most:,.2f} USD per hour, the On-Demand price, is the "
        "limit"
    )


def _place(plan: Plan) -> str:
    return place_of(plan.region, plan.network.private[0].zone)

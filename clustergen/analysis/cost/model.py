"""Bills of a checked spec, and what its node groups cost with other purchase options."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from clustergen import targets
from clustergen.checking.compiler import Checked
from clustergen.facts.catalog.prices import RECORDED, Book, Price
from clustergen.plan.model import Capacity, CapacityKind, NodeGroup, Plan
from clustergen.services import cost
from clustergen.services.cost import Bill, Line, formatting
from clustergen.services.cost.nodes import OPTIONS, node_group
from clustergen.targets import Target


@dataclass(frozen=True, slots=True)
class Purchase:
    """A node group with one purchase option."""

    group: str
    kind: CapacityKind
    line: Line
    chosen: bool

    @property
    def title(self) -> str:
        return OPTIONS[self.kind]

    def row(self, hours: int | None) -> list[str]:
        """Its cells in a table: title and amounts."""
        title = f"{self.title} (in the spec)" if self.chosen else self.title
        if self.line.unknown:
            return [title, *("not known" for _ in formatting.periods(hours))]
        return [title, *formatting.amounts(self.line, hours)]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of one spec on one target."""

    source: str
    name: str
    target: Target
    bill: Bill
    purchases: tuple[Purchase, ...] = ()
    """The purchase options of each node group, if requested."""

    @property
    def prices(self) -> tuple[Price, ...]:
        """All prices, each once."""
        options = (price for option in self.purchases for price in option.line.prices)
        return tuple(dict.fromkeys((*self.bill.prices, *options)))


def estimate(
    title: str, checked: Checked, *, purchases: bool = False, book: Book = RECORDED
) -> Iterator[Estimate]:
    """Estimates for a checked spec, for each target that renders it."""
    for name, plan in checked.plans.items():
        if name and not checked.blocking(name):
            target = targets.load(name)
            options = tuple(_purchases(plan, target, book)) if purchases else ()
            yield Estimate(title, plan.name, target, cost.bill(plan, target.fees, book), options)


FEATURES: Final[dict[CapacityKind, str]] = {
    "on-demand": "capacity.on-demand",
    "spot": "capacity.spot",
    "reservation": "capacity.reservation",
    "capacity-block": "capacity.block",
    "training-plan": "capacity.training-plan",
}


def _purchases(plan: Plan, target: Target, book: Book) -> Iterator[Purchase]:
    for group in plan.node_groups:
        for kind in possible(group, target):
            chosen = kind == group.capacity.kind
            bought = group if chosen else replace(group, capacity=Capacity(kind))
            yield Purchase(group.name, kind, node_group(plan, bought, book), chosen)


def possible(group: NodeGroup, target: Target) -> Iterator[CapacityKind]:
    """The purchase options that the target supports and the group's types are sold with."""
    sold = set.intersection(*(set(type.usage_classes) for type in group.types))
    planned = all(type.training_plan for type in group.types)
    has = {
        "on-demand": "on-demand" in sold,
        "spot": "spot" in sold,
        "reservation": "on-demand" in sold,
        "capacity-block": "capacity-block" in sold,
        "training-plan": planned,
    }
    for kind, feature in FEATURES.items():
        if has[kind] and target.support[feature].level != "none":
            yield kind

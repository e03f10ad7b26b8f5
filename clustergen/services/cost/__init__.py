"""What a cluster costs: each part of the bill, at the minimum and the maximum of its node groups.

A price that is unknown is named, and never counted as zero. What depends on use, such as stored
data, has its rate, and is not in a total.
"""

from collections.abc import Callable, Iterator

from clustergen.facts.catalog.prices import RECORDED, Book
from clustergen.plan.model import Plan
from clustergen.services.cost import monitoring, network, nodes, storage
from clustergen.services.cost.model import Bill, Change, Line, compare
from clustergen.services.cost.pricing import Prices

Fees = Callable[[Plan, Prices], Iterator[Line]]


def bill(plan: Plan, fees: Fees, book: Book = RECORDED) -> Bill:
    """The bill of ``plan``; ``fees`` are those of the service: ``targets.load(name).fees``."""
    parts = (nodes.lines, storage.lines, network.lines, monitoring.lines)
    found = [line for part in parts for line in part(plan, book)]
    found += fees(plan, Prices.of(plan, book).regional)
    return Bill(plan.target, plan.region, tuple(found))


__all__ = ["Bill", "Change", "Fees", "Line", "Prices", "bill", "compare"]

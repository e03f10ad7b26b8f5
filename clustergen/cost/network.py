"""What the foundation adds to a new VPC, and traffic."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.prices import Book
from clustergen.cost.model import Line
from clustergen.cost.pricing import Prices
from clustergen.plan.model import Plan


def lines(plan: Plan, book: Book) -> Iterator[Line]:
    """The NAT gateway and public addresses; nothing in an existing VPC, which has them.

    The gateway of a cluster in a Local Zone is in a zone of the region.
    """
    if not plan.network.new:
        return
    at = Prices.of(plan, book).regional
    yield at.line("network", "NAT gateway", "1 gateway", {"NAT gateway": 1})
    addresses = 1 + _public_nodes(plan)
    what = f"{addresses} public IPv4"
    yield at.line("network", "addresses", what, {"public IPv4 address": addresses})
    through = "traffic through it; S3 has an endpoint without a fee"
    yield at.by_use("network", "NAT gateway data", through, "NAT gateway data")


def _public_nodes(plan: Plan) -> int:
    """Head and login nodes with a public address, where SSH comes from outside."""
    if not plan.network.ssh_from:
        return 0
    machines = {"head": plan.head, "login": plan.login}
    return sum(
        machine.count
        for role, machine in machines.items()
        if machine and role in plan.limits.public_nodes
    )

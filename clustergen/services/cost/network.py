"""What the foundation adds to a new VPC, and traffic."""

from collections.abc import Iterator

from clustergen.facts.catalog.prices import Book
from clustergen.plan import endpoints, zones
from clustergen.plan.model import Machine, Plan, Role
from clustergen.services.cost.model import Line
from clustergen.services.cost.pricing import Prices


def lines(plan: Plan, book: Book) -> Iterator[Line]:
    """The NAT gateway and public addresses, or endpoints; an existing VPC has its own.

    The gateway of a cluster in a Local Zone is in a zone of the region.
    """
    at = Prices.of(plan, book).regional
    if names := [group.name for group in zones.distant_groups(plan)]:
        between = f"of {' and '.join(names)} with other nodes and file systems, each way"
        yield at.by_use("network", "traffic between zones", between, "traffic between zones")
    if not plan.network.new:
        return
    if plan.network.closed:
        yield from _endpoints(plan, at)
        return
    yield at.line("network", "NAT gateway", "1 gateway", {"NAT gateway": 1})
    addresses = 1 + sum(machine.count for machine in public_machines(plan).values())
    what = f"{addresses} public IPv4"
    yield at.line("network", "addresses", what, {"public IPv4 address": addresses})
    through = "traffic through it; S3 has an endpoint without a fee"
    yield at.by_use("network", "NAT gateway data", through, "NAT gateway data")


def _endpoints(plan: Plan, at: Prices) -> Iterator[Line]:
    """Interface endpoints, each in one zone; gateways are free."""
    count = len(endpoints.interfaces(endpoints.created(plan)))
    if count:
        what = f"{count} interface endpoints in one zone"
        yield at.line("network", "endpoints", what, {"interface endpoint": count})
        through = "traffic through them; S3 has an endpoint without a fee"
        yield at.by_use("network", "endpoint data", through, "interface endpoint data")


def public_machines(plan: Plan) -> dict[Role, Machine]:
    """Head and login nodes with a public address, where SSH comes from outside."""
    if not (plan.network.ssh_from and plan.network.public):
        return {}
    found: dict[Role, Machine | None] = {"head": plan.head, "login": plan.login}
    public = plan.limits.public_nodes
    return {role: machine for role, machine in found.items() if machine and role in public}

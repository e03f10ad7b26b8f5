"""What a cluster needs of the account: service quotas, and what its instances cost."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Final

from clustergen.catalog import InstanceType
from clustergen.catalog.lookup import DATA
from clustergen.catalog.quotas import NETWORK_INTERFACES
from clustergen.plan.model import CapacityKind, Plan
from clustergen.readme import markdown
from clustergen.readme.markdown import Row, escape

# An open reservation is billed at the On-Demand rate, used or not:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
_AT_ON_DEMAND_RATE: Final = ("on-demand", "reservation", "reservation-group")
_PRICED_REGION: Final = "us-east-1"

Fleet = tuple[tuple[InstanceType, ...], int, CapacityKind]
"""Instance types of which each node has one, the most nodes, and where they come from."""


def _fleets(plan: Plan) -> Iterator[Fleet]:
    for group in plan.node_groups:
        yield group.types, group.max, group.capacity.kind
    for machine in filter(None, (plan.login, plan.head)):
        yield (machine.type,), machine.count, "on-demand"


def quotas(plan: Plan) -> str:
    """The EC2 quotas that the cluster at its maximum must fit in."""
    rows = [*_vcpu_rows(plan), _interface_row(plan)]
    header = ("Service quota", "Code", "Needed")
    return (
        f"{markdown.table(header, rows, right=(2,))}\n\n"
        "vCPUs count whole, whatever the threads per core. Capacity Blocks and reservations need\n"
        "no vCPU quota. `aws service-quotas get-service-quota` shows what the account has."
    )


def _vcpu_rows(plan: Plan) -> Iterator[Row]:
    needed: dict[tuple[str, str], int] = {}
    for types, most, kind in _fleets(plan):
        if kind in ("on-demand", "spot"):
            of_fleet = {_quota(type, kind): 0 for type in types}
            for type in types:
                of_fleet[_quota(type, kind)] = max(of_fleet[_quota(type, kind)], type.vcpus * most)
            for quota, vcpus in of_fleet.items():
                needed[quota] = needed.get(quota, 0) + vcpus
    for (title, code), vcpus in sorted(needed.items()):
        yield title, code, f"{vcpus:,} vCPUs"


def _quota(type: InstanceType, kind: CapacityKind) -> tuple[str, str]:
    spot = kind == "spot"
    code = type.quota.spot if spot else type.quota.on_demand
    how = "Spot" if spot else "On-Demand"
    return f"EC2 {how} {type.quota.family} instances", code or "not known"


def _interface_row(plan: Plan) -> Row:
    interfaces = sum(len(group.interfaces) * group.max for group in plan.node_groups)
    others = sum(machine.count for machine in filter(None, (plan.login, plan.head)))
    return "VPC network interfaces per Region", NETWORK_INTERFACES, f"{interfaces + others:,}"


def price(plan: Plan) -> str:
    """The On-Demand price of an hour at the maximum, and what of it is not known."""
    if plan.partition != "aws":
        return ""
    total, unknown = 0.0, []
    for types, most, kind in _fleets(plan):
        prices = [type.price_usd_hour for type in types if type.price_usd_hour is not None]
        if kind in _AT_ON_DEMAND_RATE and len(prices) == len(types):
            total += max(prices) * most
        elif kind in _AT_ON_DEMAND_RATE:
            unknown += [type.name for type in types if type.price_usd_hour is None]
    kinds = {kind for _, _, kind in _fleets(plan)}
    return "\n".join(_price_lines(plan.region, total, unknown, kinds))


def _price_lines(
    region: str, total: float, unknown: list[str], kinds: set[CapacityKind]
) -> Iterator[str]:
    if total:
        where = "" if region == _PRICED_REGION else f", and {region} differs"
        yield (
            f"Instances at their maximum: {total:,.2f} USD per hour On-Demand (Linux, "
            f"{_PRICED_REGION}, {_recorded()}{escape(where)})."
        )
    if unknown:
        yield f"Not in that: {escape(', '.join(dict.fromkeys(unknown)))}, whose price is not known."
    if "spot" in kinds:
        yield "Spot instances have a market price."
    if "capacity-block" in kinds or "training-plan" in kinds:
        yield "Capacity Blocks and training plans are paid for when they are bought."
    yield "Storage, data transfer and the service's own fees come on top."


@functools.cache
def _recorded() -> str:
    """When the catalog's prices were recorded."""
    provenance = json.loads((DATA / "provenance.json").read_text(encoding="ascii"))
    dates = {facts["date"] for title, facts in provenance.items() if title.startswith("prices")}
    return " and ".join(sorted(dates))

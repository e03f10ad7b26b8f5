"""Service quotas that a cluster needs, and the price of its instances."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Fleet:
    """Nodes with the same purchase option; each has one of ``types``."""

    title: str
    types: tuple[InstanceType, ...]
    most: int
    kind: CapacityKind

    @property
    def dollars(self) -> float | None:
        """The On-Demand price per hour; None if the price of a type is unknown."""
        prices = [type.price_usd_hour for type in self.types if type.price_usd_hour is not None]
        return max(prices) * self.most if len(prices) == len(self.types) else None


def _fleets(plan: Plan) -> Iterator[_Fleet]:
    for group in plan.node_groups:
        yield _Fleet(group.name, group.types, group.max, group.capacity.kind)
    for title, machine in (("login nodes", plan.login), ("head node", plan.head)):
        if machine:
            yield _Fleet(title, (machine.type,), machine.count, "on-demand")


def _system_nodes(plan: Plan) -> Iterator[_Fleet]:
    """The system nodes of an EKS cluster, which count as EC2 instances even if the others are
    SageMaker's."""
    if plan.system:
        yield _Fleet("system nodes", (plan.system.type,), plan.system.count, "on-demand")


def quotas(plan: Plan) -> str:
    """The quotas that the cluster needs at its maximum."""
    if plan.sagemaker:
        return _sagemaker_quotas(plan)
    rows = [*_vcpu_rows([*_fleets(plan), *_system_nodes(plan)]), _interface_row(plan)]
    header = ("Service quota", "Code", "Needed")
    return (
        f"{markdown.table(header, rows, right=(2,))}\n\n"
        "Quotas count all vCPUs, even with one thread per core. Capacity Blocks need no quota;\n"
        "instances of On-Demand Capacity Reservations count, even unused ones.\n"
        "`aws service-quotas get-service-quota` shows what the account has."
    )


# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html (2026-11):
# SageMaker counts instances by its name of the type; quota codes differ between accounts.
def _sagemaker_quotas(plan: Plan) -> str:
    needed: dict[str, int] = {}
    for fleet in _fleets(plan):
        for type in fleet.types:
            title = f"SageMaker {type.hyperpod or type.name} for cluster usage"
            needed[title] = needed.get(title, 0) + fleet.most
    total = sum(fleet.most for fleet in _fleets(plan))
    rows = [(title, f"{count:,}") for title, count in sorted(needed.items())]
    rows += [
        ("SageMaker instances of a HyperPod cluster, of all clusters", f"{total:,}"),
        *((title, vcpus) for title, _, vcpus in _vcpu_rows(_system_nodes(plan))),
        (_interface_row(plan)[0], _interface_row(plan)[2]),
    ]
    return (
        f"{markdown.table(('Service quota', 'Needed'), rows, right=(1,))}\n\n"
        "`aws service-quotas list-service-quotas --service-code sagemaker` shows what the account "
        "has."
    )


# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html: reserved
# capacity counts, used or not; that of a block does not (ec2-capacity-blocks.html). 2026-11.
_COUNTED = ("on-demand", "spot", "reservation", "reservation-group")


def _vcpu_rows(fleets: Iterable[_Fleet]) -> Iterator[tuple[str, str, str]]:
    needed: dict[tuple[str, str], int] = {}
    for fleet in fleets:
        if fleet.kind in _COUNTED:
            for quota, vcpus in _needed(fleet).items():
                needed[quota] = needed.get(quota, 0) + vcpus
    for (title, code), vcpus in sorted(needed.items()):
        yield title, code, f"{vcpus:,} vCPUs"


def _needed(fleet: _Fleet) -> dict[tuple[str, str], int]:
    """vCPUs by quota, as if the whole fleet had the largest type of that quota."""
    needed: dict[tuple[str, str], int] = {}
    for type in fleet.types:
        quota = _quota(type, fleet.kind)
        needed[quota] = max(needed.get(quota, 0), type.vcpus * fleet.most)
    return needed


def _quota(type: InstanceType, kind: CapacityKind) -> tuple[str, str]:
    spot = kind == "spot"
    code = type.quota.spot if spot else type.quota.on_demand
    how = "Spot" if spot else "On-Demand"
    return f"EC2 {how} {type.quota.family} instances", code or "not known"


def _interface_row(plan: Plan) -> Row:
    interfaces = sum(len(group.interfaces) * group.max for group in plan.node_groups)
    others = sum(machine.count for machine in plan.machines)
    return "VPC network interfaces per Region", NETWORK_INTERFACES, f"{interfaces + others:,}"


def price(plan: Plan) -> str:
    """The On-Demand price per hour at the maximum, and what it does not include."""
    if plan.partition != "aws":
        return ""
    if plan.sagemaker:
        return "HyperPod has prices of its own: https://aws.amazon.com/sagemaker/ai/pricing/"
    fleets = [*_fleets(plan), *_system_nodes(plan)]
    priced = [f for f in fleets if f.kind in _AT_ON_DEMAND_RATE and f.dollars is not None]
    others = (f"- {escape(f.title)}: {_why_not(f)}" for f in fleets if f not in priced)
    return "\n".join(
        (
            *(_total(priced, plan.region) if priced else ()),
            "Not included:" if priced else "Not priced here:",
            "",
            *others,
            "- storage, data transfer and the service's own fees",
        )
    )


def _total(priced: Sequence[_Fleet], region: str) -> Iterator[str]:
    dollars = sum(fleet.dollars or 0 for fleet in priced)
    titles = escape(", ".join(fleet.title for fleet in priced))
    yield f"At the maximum {dollars:,.2f} USD per hour On-Demand for {titles}."
    elsewhere = "" if region == _PRICED_REGION else f"; {region} has its own prices"
    yield f"(Linux in {_PRICED_REGION}, recorded {_recorded()}{elsewhere}.)"


def _why_not(fleet: _Fleet) -> str:
    match fleet.kind:
        case "spot":
            return "the price follows the market"
        case "capacity-block" | "training-plan":
            return "paid in advance, at the price shown at purchase"
        case _:
            return f"no price is known of {escape(' or '.join(t.name for t in fleet.types))}"


@functools.cache
def _recorded() -> str:
    """The date of the catalog's prices."""
    provenance = json.loads((DATA / "provenance.json").read_text(encoding="ascii"))
    dates = {facts["date"] for title, facts in provenance.items() if title.startswith("prices")}
    return " and ".join(sorted(dates))

"""Service quotas that a cluster needs, and its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from clustergen import cost
from clustergen.catalog import InstanceType
from clustergen.catalog.quotas import NETWORK_INTERFACES
from clustergen.cost import words
from clustergen.cost.model import PARTS
from clustergen.plan.model import CapacityKind, Plan, Traits
from clustergen.readme import markdown
from clustergen.readme.markdown import Row, escape
from clustergen.targets import Target


@dataclass(frozen=True, slots=True)
class _Fleet:
    """Nodes with the same purchase option; each has one of ``types``."""

    title: str
    types: tuple[InstanceType, ...]
    most: int
    kind: CapacityKind


def _fleets(plan: Plan) -> Iterator[_Fleet]:
    for group in plan.node_groups:
        yield _Fleet(group.name, group.types, group.max, group.capacity.kind)
    login = [(f"login nodes {machine.name}", machine) for machine in plan.more_login]
    for title, machine in (("login nodes", plan.login), *login, ("head node", plan.head)):
        if machine:
            yield _Fleet(title, (machine.type,), machine.count, "on-demand")


def _system_nodes(plan: Plan) -> Iterator[_Fleet]:
    """The system nodes of an EKS cluster, which count as EC2 instances even if the others are
    SageMaker's."""
    if plan.system:
        yield _Fleet("system nodes", (plan.system.type,), plan.system.count, "on-demand")


def quotas(plan: Plan, traits: Traits) -> str:
    """The quotas that the cluster needs at its maximum."""
    if plan.sagemaker:
        return _sagemaker_quotas(plan, traits)
    rows = [*_vcpu_rows([*_fleets(plan), *_system_nodes(plan)]), _interface_row(plan, traits)]
    header = ("Service quota", "Code", "Needed")
    return (
        f"{markdown.table(header, rows, right=(2,))}\n\n"
        "Quotas count all vCPUs, even with one thread per core. Capacity Blocks need no quota;\n"
        "instances of On-Demand Capacity Reservations count, even unused ones.\n"
        "`aws service-quotas get-service-quota` shows what the account has."
    )


# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html (2026-11):
# SageMaker counts instances by its name of the type; quota codes differ between accounts.
def _sagemaker_quotas(plan: Plan, traits: Traits) -> str:
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
        (_interface_row(plan, traits)[0], _interface_row(plan, traits)[2]),
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


def _interface_row(plan: Plan, traits: Traits) -> Row:
    interfaces = sum(
        (len(group.interfaces) + traits.interfaces_of_tasks(group)) * group.max
        for group in plan.node_groups
    )
    others = sum(machine.count for machine in plan.machines)
    return "VPC network interfaces per Region", NETWORK_INTERFACES, f"{interfaces + others:,}"


def price(plan: Plan, target: Target) -> Iterator[str]:
    """The bill: each part, the total, and what the total lacks."""
    bill = cost.bill(plan, target.fees)
    yield markdown.table(_BILL, _bill_rows(bill), right=(2, 3))
    yield words.CONVENTION
    yield from _list("No price is known of these; the total lacks them:", words.missing(bill))
    yield from _list("Not in the total, because use decides:", words.by_use(bill))
    yield from _list("Not on this bill:", words.outside(bill))
    dates = sorted({price.source.date for price in bill.prices})
    if dates:
        yield (
            f"Prices of {bill.region}, recorded {dates[0]} to {dates[-1]}. `clustergen cost` lists "
            "each with its\nsource and date."
        )


_BILL: Final = ("Part", "For", "USD per hour", "USD per month")


def _bill_rows(bill: cost.Bill) -> Iterator[Row]:
    for part in PARTS:
        for line in bill.of(part):
            if line.counted:
                yield (line.name, words.details(line), *words.amounts(line))
    yield ("Total of known prices" if bill.unknown else "Total", "", *words.amounts(bill))


def _list(head: str, items: Iterable[str]) -> Iterator[str]:
    if lines := "\n".join(f"- {escape(item)}" for item in items):
        yield f"{head}\n\n{lines}"

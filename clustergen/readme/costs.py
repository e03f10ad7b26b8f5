"""Service quotas that a cluster needs, and its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from clustergen import cost
from clustergen.cost import words
from clustergen.cost.model import PARTS
from clustergen.plan import quotas
from clustergen.plan.model import Plan, Traits
from clustergen.readme import markdown
from clustergen.readme.markdown import Row, escape
from clustergen.targets import Target


def needed_quotas(plan: Plan, traits: Traits) -> str:
    """The quotas that the cluster needs at its maximum."""
    rows = [
        (need.title, _code(need), need.amount_text + _beside(plan, need))
        for need in quotas.needs(plan, traits)
    ]
    table = markdown.table(("Service quota", "Code", "Needed"), rows, right=(2,))
    return f"{table}\n\n{_OF_SAGEMAKER if plan.sagemaker else _OF_EC2}"


def _beside(plan: Plan, need: quotas.Need) -> str:
    """Other instances of a cluster that the nodes join count, too."""
    return " more than the cluster has" if plan.options.joined and need.running else ""


def _code(need: quotas.Need) -> str:
    return need.code or ("by name" if need.service == "sagemaker" else "not known")


_OF_SAGEMAKER: Final = (
    "`aws service-quotas list-service-quotas --service-code sagemaker` shows what the account has."
)
_OF_EC2: Final = (
    "Quotas count all vCPUs, even with one thread per core. Capacity Blocks need no quota;\n"
    "instances of On-Demand Capacity Reservations count, even unused ones.\n"
    "`aws service-quotas get-service-quota` shows what the account has."
)


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
        when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
        yield (
            f"Prices of {bill.region}, recorded {when}. `clustergen cost` lists each with its\n"
            "source and date."
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

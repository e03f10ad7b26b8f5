"""Service quotas that a cluster needs, and its cost."""

from collections.abc import Iterable, Iterator
from typing import Final

from clustergen.output import markdown_text
from clustergen.output.markdown_text import escape
from clustergen.plan import quotas
from clustergen.plan.model import Plan, Traits
from clustergen.services import cost
from clustergen.services.cost import formatting
from clustergen.targets import Target


def needed_quotas(plan: Plan, traits: Traits) -> str:
    """The quotas that the cluster needs at its maximum."""
    rows = [
        (need.title, _code(need), need.amount_text + _beside(plan, need))
        for need in (*quotas.needs(plan, traits), *quotas.of_storage(plan))
    ]
    table = markdown_text.table(("Service quota", "Code", "Needed"), rows, right=(2,))
    return f"{table}\n\n{_OF_SAGEMAKER if plan.sagemaker else _OF_EC2}"


def _beside(plan: Plan, need: quotas.Need) -> str:
    """Other instances of a cluster that the nodes join count, too."""
    return " more than the cluster has" if plan.existing.cluster and need.running else ""


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
    parts = (row for _, *row in formatting.rows(bill))
    totals = ((title, "", *amounts) for title, *amounts in formatting.total(bill))
    header = ("Part", "For", "USD per hour", "USD per month")
    yield markdown_text.table(header, (*parts, *totals), right=(2, 3))
    yield formatting.CONVENTION
    for head, lines in formatting.not_in_total(bill):
        yield from _list(head, lines)
    dates = sorted({price.source.date for price in bill.prices})
    if dates:
        when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
        yield (
            f"Prices of {bill.region}, recorded {when}. `clustergen cost` lists each with its\n"
            "source and date."
        )


def _list(head: str, items: Iterable[str]) -> Iterator[str]:
    if lines := "\n".join(f"- {escape(item)}" for item in items):
        yield f"{head}\n\n{lines}"

"""Bills as plain data, for JSON; :mod:`clustergen.analysis.cost.json` documents the keys."""

from typing import Any

from clustergen.base.documents import picked
from clustergen.facts.catalog.prices import MONTH_HOURS, Price
from clustergen.services.cost.model import Bill, Line


def bill_data(bill: Bill, hours: int | None = None) -> dict[str, Any]:
    return {
        "region": bill.region,
        "currency": "USD",
        "month_hours": MONTH_HOURS,
        "duration_hours": hours,
        "total": {**_amounts(bill, hours), "complete": not bill.unknown},
        "lines": [line_data(line, hours) for line in bill.lines],
    }


def _amounts(item: Bill | Line, hours: int | None) -> dict[str, Any]:
    return {
        "hour": _rounded(item.usd(1)),
        "month": _rounded(item.usd(MONTH_HOURS)),
        "duration": _rounded(item.usd_of_use(hours)) if hours else None,
    }


def _rounded(amounts: tuple[float, float]) -> list[float]:
    return [round(amount, 4) for amount in amounts]


def line_data(line: Line, hours: int | None = None) -> dict[str, Any]:
    nothing = {"hour": None, "month": None, "duration": None}
    return {
        **picked(line, ("part", "name", "what")),
        "status": _status(line),
        **(_amounts(line, hours) if line.counted else nothing),
        "upfront": line.upfront,
        "reason": line.unknown or line.outside,
        "note": line.note,
        "prices": [price_data(price) for price in line.prices],
    }


def _status(line: Line) -> str:
    if line.counted:
        return "estimate" if line.estimate else "known"
    if line.by_use:
        return "by-use"
    return "unknown" if line.unknown else "outside"


def price_data(price: Price) -> dict[str, Any]:
    """A price with its source as plain data."""
    return {
        **picked(price, ("name", "usd", "unit")),
        "region": price.place,
        **picked(price.source, ("source", "date", "confidence", "note")),
    }

"""Rebuild the prices: ``python -m tools.catalog.prices [--region REGION]``.

Asks the Price List for the prices that it has in a usable form, and keeps all others with their
sources and dates: Capacity Blocks, Spot, PCS, and whatever has no product there.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clustergen.base.account import CallError
from clustergen.facts.catalog import prices, regions
from clustergen.facts.catalog.prices import DATA, Price, price_list
from clustergen.facts.catalog.prices.price_list import QUERIES

Row = dict[str, Any]


def main(argv: Sequence[str] | None = None, client: Any = None) -> int:
    """Write the data; returns exit status 2 if the Price List does not answer."""
    parser = argparse.ArgumentParser(prog="python -m tools.catalog.prices")
    parser.add_argument("--region", action="append", help="a region to ask for; repeatable (all)")
    options = parser.parse_args(argv)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        found = list(_ask(client or price_list.client(), options.region or regions.REGIONS, date))
    except CallError as error:
        print(error, file=sys.stderr)
        return 2
    files = merged(list(prices.rows()), found, date)
    for name, text in files.items():
        (DATA / name).write_text(text, encoding="ascii")
    print(f"{len(found):,} prices of {date}")
    return 0


def _ask(client: Any, places: Sequence[str], date: str) -> Iterator[Price]:
    """The prices of all queries; of instance types, those that the catalog has a price of."""
    types = [row["price"] for row in prices.rows() if row["price"].startswith("EC2 ")]
    for place in places:
        for query in QUERIES:
            for name in types if query.by_type else [query.prefix]:
                yield from price_list.products(client, query, place, name, date)


def merged(rows: Sequence[Row], found: Sequence[Price], date: str) -> dict[str, str]:
    """File name -> text: ``rows`` with the prices ``found`` in place of older ones."""
    source = f"price-list-{date}"
    table = {row["price"]: row for row in rows}
    for price in found:
        row = table.get(price.name) or {"price": price.name, "unit": price.unit, "usd": {}}
        table[price.name] = _with(row, source, prices.key_of(price.place), price.usd)
    used = {key for row in table.values() for key in row["usd"]}
    sources = {
        key: {"source": each.source, "date": each.date, **_doubt(each)}
        for key, each in prices.sources().items()
        if key in used
    }
    if source in used:
        sources[source] = {"source": price_list.SOURCE, "date": date, "confidence": "high"}
    lines = [json.dumps(table[name], separators=(",", ":")) for name in sorted(table)]
    entries = (f"{json.dumps(key)}: {json.dumps(each)}" for key, each in sources.items())
    return {
        "prices.jsonl": "\n".join(lines) + "\n",
        "price_sources.json": "{\n" + ",\n".join(entries) + "\n}\n",
    }


def _with(row: Row, source: str, place: str, usd: float) -> Row:
    """``row`` with one price, and without those of older sources for the same place."""
    kept = {
        key: {where: price for where, price in by_place.items() if where != place}
        for key, by_place in row["usd"].items()
    }
    kept[source] = dict(sorted({**kept.get(source, {}), place: usd}.items()))
    return {**row, "usd": {key: kept[key] for key in sorted(kept) if kept[key]}}


def _doubt(source: prices.Source) -> Mapping[str, str]:
    note = {"note": source.note} if source.note else {}
    return {"confidence": source.confidence, **note}


if __name__ == "__main__":
    sys.exit(main())

"""Rebuild the catalog's data: ``python -m tools.catalog.build [--check]``.

Joins EC2's data (:mod:`tools.catalog.survey`) with the manually maintained files in
``data/``: ``corrections.json`` (missing and wrong values) and ``families.json``. Writes
``instances.jsonl``, ``zones.json`` and ``provenance.json``. Needs moto and botocore; the compiler
does not.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clustergen.facts.catalog import described, families, rows
from clustergen.facts.catalog.instance import Accelerator
from clustergen.facts.catalog.lookup import DATA
from clustergen.facts.catalog.rows import Row
from tools.catalog import survey


@dataclass(frozen=True, slots=True)
class _ByHand:
    """The facts that EC2's data lacks, by instance type or family."""

    corrections: Mapping[str, Mapping[str, Any]]
    """By type."""
    family_corrections: Mapping[str, Mapping[str, Any]]
    hyperpod: frozenset[str]
    plans: frozenset[str]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the data, or compare it with ``--check``; returns exit status 1 if it differs."""
    options = _options(argv)
    files = build(_survey(options.from_aws))
    if options.check:
        return _check(files)
    for name, text in files.items():
        (DATA / name).write_text(text, encoding="ascii")
        print(f"{name}: {len(text)} bytes")
    return 0


def build(found: survey.Survey) -> dict[str, str]:
    """File name -> text of every generated file of ``data/``."""
    hyperpod, plans, hyperpod_source = survey.hyperpod_types()
    by_hand = _by_hand(hyperpod, plans)
    order = sorted(found.offerings)
    table = {
        name: _whole_row(name, order, by_hand)
        for name, correction in by_hand.corrections.items()
        if correction.get("whole")
    }
    for name, facts in found.facts.items():
        table[name] = _surveyed_row(facts, found.offerings, by_hand)
    lines = [rows.line(table[name]) for name in sorted(table)]
    return {
        "instances.jsonl": "\n".join(lines) + "\n",
        "zones.json": _json({region: _zone_numbers(found, region) for region in order}),
        "provenance.json": _json(_provenance(found, hyperpod_source)),
    }


def _surveyed_row(facts: Mapping[str, Any], offerings: survey.Offerings, by_hand: _ByHand) -> Row:
    name: str = facts["InstanceType"]
    zones = [zone for by_zone in offerings.values() for zone, on in by_zone.items() if name in on]
    row = {
        **described.row(facts),
        "zones": rows.encode_zones(zones, sorted(offerings)),
        **_by_name(name, by_hand),
    }
    return _corrected(row, by_hand)


def _whole_row(name: str, order: Sequence[str], by_hand: _ByHand) -> Row:
    """A type that only the corrections define, until EC2's data has it."""
    return {
        "name": name,
        **by_hand.corrections[name]["row"],
        "zones": rows.encode_zones((), order),
        **_by_name(name, by_hand),
    }


def _by_name(name: str, by_hand: _ByHand) -> Row:
    return {
        "nitro": families.find(_family(name)).nitro,
        "hyperpod": name in by_hand.hyperpod,
        "plan": name in by_hand.plans,
    }


def _corrected(row: Row, by_hand: _ByHand) -> Row:
    """``row`` with the corrections for its family, then those for the type itself."""
    name: str = row["name"]
    found = (by_hand.family_corrections.get(_family(name)), by_hand.corrections.get(name))
    for correction in found:
        if correction and not correction.get("whole"):
            row = row | {key: _value(row, key, new) for key, new in correction["row"].items()}
    return row


def _value(row: Row, key: str, new: Any) -> Any:
    """The corrected value of ``key``; for an accelerator, an object has only the wrong fields."""
    if key != "accelerator" or not isinstance(new, dict):
        return new
    return list(dataclasses.astuple(dataclasses.replace(Accelerator(*row[key]), **new)))


def _family(name: str) -> str:
    return name.partition(".")[0]


def _by_hand(hyperpod: frozenset[str], plans: frozenset[str]) -> _ByHand:
    corrections = _hand_file("corrections.json")
    return _ByHand(
        corrections=corrections["types"],
        family_corrections=corrections["families"],
        hyperpod=hyperpod,
        plans=plans,
    )


def _zone_numbers(found: survey.Survey, region: str) -> list[int]:
    return sorted(int(zone.rpartition("-az")[2]) for zone in found.offerings[region])


def _provenance(found: survey.Survey, hyperpod_source: str) -> dict[str, dict[str, str]]:
    corrections = [c for group in _hand_file("corrections.json").values() for c in group.values()]
    nitro = families.table()["facts"]["nitro"]
    return {
        "instance facts": {"source": found.source, "date": found.date},
        "offerings": {"source": found.source, "date": found.date},
        "hyperpod names": {"source": hyperpod_source, "date": "2026-11"},
        "nitro generation": {"source": nitro["source"], "date": nitro["date"]},
        "corrections": {
            "source": "corrections.json, which names its own sources",
            "date": max(correction["date"] for correction in corrections),
        },
    }


def _hand_file(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="ascii"))


def _json(value: Mapping[str, Any]) -> str:
    """One line per top-level key: short, and a change is a one-line difference."""
    lines = (f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _survey(region: str | None) -> survey.Survey:
    recorded = survey.from_moto()
    if region is None:
        return recorded
    return survey.merged(recorded, survey.from_aws(region, datetime.date.today().isoformat()))


def _check(files: Mapping[str, str]) -> int:
    stale = [name for name, text in files.items() if _committed(DATA / name) != text]
    for name in stale:
        print(f"{name} is not what would be built: run python -m tools.catalog.build")
    return 1 if stale else 0


def _committed(path: Path) -> str | None:
    return path.read_text(encoding="ascii") if path.exists() else None


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.catalog.build")
    parser.add_argument("--check", action="store_true", help="only say whether the data is current")
    parser.add_argument("--from-aws", metavar="REGION", help="also ask EC2, with your credentials")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())

"""File format of instance types: one short JSON object per line, without defaults.

``instances.jsonl`` must be small, and each line readable alone, so that a lookup decodes only what
it needs. This module alone reads and writes the format.
"""

import json
import string
from collections.abc import Iterable, Mapping
from typing import Any

from clustergen.facts.catalog import quotas, regions
from clustergen.facts.catalog.instance import Accelerator, InstanceType, NetworkCard

Row = dict[str, Any]

DEFAULTS: Row = {
    "arch": "x86_64",
    "tpc": 2,
    "accelerator": None,
    "burst": False,
    "efa": 0,
    "nitro": None,
    "ipv4": 50,
    "disks": [0, 0],
    "usage": ["on-demand", "spot"],
    "placement": ["cluster", "partition", "spread"],
    "metal": False,
    "burstable": False,
    "current": True,
    "local_zones": [],
    "hyperpod": False,
    "plan": False,
    "ultraserver": None,
    "own": False,
}
"""Defaults for keys that a row lacks. ``cores``, ``valid_tpc`` and ``boot`` have
defaults that depend on the other keys, see :func:`_derived`."""

_LETTERS = {"i": "interface", "e": "efa", "o": "efa-only"}
_DIGITS = string.digits + string.ascii_lowercase + string.ascii_uppercase + "+-"


def line(row: Row) -> str:
    """``row`` as one line of the file, without defaults."""
    defaults = DEFAULTS | _derived(DEFAULTS | row)
    short = {k: v for k, v in row.items() if k not in defaults or defaults[k] != v}
    return json.dumps(short, separators=(",", ":"), ensure_ascii=True)


def decode(row: Row) -> InstanceType:
    """The instance type described by a row of the file."""
    full = DEFAULTS | row
    full = _derived(full) | full
    name: str = full["name"]
    return InstanceType(
        name=name,
        arch=full["arch"],
        vcpus=full["vcpus"],
        cores=full["cores"],
        threads_per_core=full["tpc"],
        valid_threads_per_core=tuple(full["valid_tpc"]),
        memory_mib=full["mem"],
        accelerator=Accelerator(*full["accelerator"]) if full["accelerator"] else None,
        network_gbps=full["gbps"],
        network_burst=full["burst"],
        cards=decode_cards(full["cards"]),
        max_efa=full["efa"],
        nitro=full["nitro"],
        ipv4_per_interface=full["ipv4"],
        disk_count=full["disks"][0],
        disk_gb=full["disks"][1],
        usage_classes=tuple(full["usage"]),
        placement=tuple(full["placement"]),
        boot_modes=tuple(full["boot"]),
        bare_metal=full["metal"],
        burstable=full["burstable"],
        current_generation=full["current"],
        zone_ids=(*decode_zones(full["zones"]), *full["local_zones"]),
        hyperpod=f"ml.{name}" if full["hyperpod"] else None,
        training_plan=full["plan"],
        quota=quotas.quota_of(name, spot="spot" in full["usage"]),
        ultraserver=full["ultraserver"],
        own=full["own"],
    )


def _derived(row: Mapping[str, Any]) -> Row:
    threads = row["tpc"]
    return {
        "cores": row.get("vcpus", 0) // threads,
        "valid_tpc": [1, 2] if threads == 2 else [1],
        "boot": ["uefi"] if row["arch"] == "arm64" else ["legacy-bios", "uefi"],
    }


def encode_cards(cards: Iterable[NetworkCard]) -> str:
    """Runs of equal cards: ``1x4i,16x4ieo`` is a plain card and 16 with EFA, 4 interfaces each."""
    runs: list[tuple[int, str]] = []
    letters = {name: letter for letter, name in _LETTERS.items()}
    for card in cards:
        form = f"{card.max_interfaces}" + "".join(letters[t] for t in card.interface_types)
        if runs and runs[-1][1] == form:
            runs[-1] = (runs[-1][0] + 1, form)
        else:
            runs.append((1, form))
    return ",".join(f"{count}x{form}" for count, form in runs)


def decode_cards(text: str) -> tuple[NetworkCard, ...]:
    """The inverse of :func:`encode_cards`."""
    cards: list[NetworkCard] = []
    for run in text.split(","):
        count, _, form = run.partition("x")
        most = form.rstrip("ieo")
        types = tuple(_LETTERS[letter] for letter in form[len(most) :])
        for _ in range(int(count)):
            cards.append(NetworkCard(len(cards), int(most), types))
    return tuple(cards)


def encode_zones(zone_ids: Iterable[str], survey: Iterable[str]) -> str:
    """One character per region of ``survey``: a base-64 digit whose bits are ``az1`` ... ``az6``.

    :raises ValueError: for a zone number above 6, which this form cannot represent.
    """
    bits = dict.fromkeys(survey, 0)
    for zone_id in zone_ids:
        number = int(zone_id.rpartition("-az")[2])
        if not 1 <= number <= 6:
            raise ValueError(f"no room for zone {zone_id}: widen rows.encode_zones")
        region = regions.region_of_zone(zone_id)
        if region is None:
            raise ValueError(f"zone {zone_id} belongs to no region of the catalog")
        bits[region] |= 1 << (number - 1)
    return "".join(_DIGITS[value] for value in bits.values())


def decode_zones(text: str) -> tuple[str, ...]:
    """The inverse of :func:`encode_zones`: zone ids, region by region."""
    found: list[str] = []
    for region, digit in zip(regions.surveyed_zones(), text, strict=True):
        if digit == "0":
            continue
        bits = _DIGITS.index(digit)
        prefix = regions.zone_prefix(region)
        found.extend(f"{prefix}-az{n + 1}" for n in range(6) if bits >> n & 1)
    return tuple(found)

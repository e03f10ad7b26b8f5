"""Rows of the catalog from what EC2 describes: DescribeInstanceTypes.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html
"""

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from clustergen.facts.catalog import families, rows
from clustergen.facts.catalog.instance import InstanceType, NetworkCard
from clustergen.facts.catalog.missing import FORM
from clustergen.facts.catalog.regions import surveyed_zones
from clustergen.facts.catalog.rows import Row

_USAGE: Final = ("on-demand", "spot", "capacity-block")


def own_rows(answer: Any, earlier: Mapping[str, str] = {}) -> dict[str, str]:
    """The lines of the catalog for types that a user describes, by name, after ``earlier`` ones.

    ``answer`` is that of DescribeInstanceTypes. Where EC2 offers the types is not in it.

    :raises ValueError: if it is another, or differs from earlier lines: why.
    """
    found = answer.get("InstanceTypes") if isinstance(answer, Mapping) else None
    if not isinstance(found, list) or not found:
        raise ValueError("it has no InstanceTypes")
    own = dict(earlier)
    for name, line in (_own_row(index, facts) for index, facts in enumerate(found)):
        if own.setdefault(name, line) != line:
            raise ValueError(f"{name} is described twice, with different facts")
    return own


def _own_row(index: int, facts: Any) -> tuple[str, str]:
    name = facts.get("InstanceType") if isinstance(facts, Mapping) else None
    try:
        own = {**row(facts), "zones": rows.encode_zones((), surveyed_zones()), "own": True}
        own["nitro"] = families.find(own["name"].partition(".")[0]).nitro
        type = rows.decode(own)
        TypeAdapter(InstanceType).validate_json(json.dumps(dataclasses.asdict(type)), strict=True)
        cards = sum(card.efa for card in type.cards)
        if not FORM.fullmatch(type.name):
            reason = "no name of an instance type"
        elif type.max_efa > cards:
            reason = f"{type.max_efa} EFA interfaces, and {cards} network cards that have one"
        else:
            return type.name, rows.line(own)
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{first['loc'][0]}: {first['msg']}"
    except KeyError as error:
        reason = f"no {error.args[0]}"
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
        reason = "not in the form in which EC2 describes a type"
    raise ValueError(f"{name or f'item {index + 1}'}: {reason}")


def row(facts: Mapping[str, Any]) -> Row:
    """The facts of one type, as EC2 describes it.

    :raises KeyError: if one is missing.
    """
    return {
        "name": facts["InstanceType"],
        **_machine(facts),
        **_network(facts["NetworkInfo"]),
        **_terms(facts),
    }


def _machine(facts: Mapping[str, Any]) -> Row:
    cpu = facts["VCpuInfo"]
    threads = cpu["DefaultThreadsPerCore"]
    disks = facts.get("InstanceStorageInfo", {}).get("Disks") or [{"Count": 0, "SizeInGB": 0}]
    (disk,) = disks
    return {
        "arch": facts["ProcessorInfo"]["SupportedArchitectures"][-1],
        "vcpus": cpu["DefaultVCpus"],
        "cores": cpu["DefaultCores"],
        "tpc": threads,
        # Bare metal and the oldest types offer no choice, and have no list.
        "valid_tpc": cpu.get("ValidThreadsPerCore", [threads]),
        "mem": facts["MemoryInfo"]["SizeInMiB"],
        "accelerator": _accelerator(facts),
        "disks": [disk["Count"], disk["SizeInGB"]],
    }


# Where DescribeInstanceTypes lists accelerators. Inferentia appears twice: the first wins.
_ACCELERATORS = (
    ("gpu", "GpuInfo", "Gpus"),
    ("neuron", "NeuronInfo", "NeuronDevices"),
    ("inference", "InferenceAcceleratorInfo", "Accelerators"),
    ("fpga", "FpgaInfo", "Fpgas"),
    ("media", "MediaAcceleratorInfo", "Accelerators"),
)


def _accelerator(facts: Mapping[str, Any]) -> list[Any] | None:
    for kind, info, items in _ACCELERATORS:
        if info in facts:
            (one,) = facts[info][items]
            memory = one["MemoryInfo"]["SizeInMiB"]
            return [kind, one.get("Manufacturer", "AWS"), one["Name"], one["Count"], memory]
    return None


def _network(info: Mapping[str, Any]) -> Row:
    cards = [
        NetworkCard(
            card["NetworkCardIndex"],
            card["MaximumNetworkInterfaces"],
            tuple(card["InterfaceTypes"]),
        )
        for card in info["NetworkCards"]
    ]
    return {
        "gbps": _gbps(info),
        "burst": info["NetworkPerformance"].startswith("Up to"),
        "cards": rows.encode_cards(cards),
        "efa": info.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "ipv4": info["Ipv4AddressesPerInterface"],
    }


def _gbps(info: Mapping[str, Any]) -> float:
    """Bandwidth from "16x 200 Gigabit" or "Up to 12.5 Gigabit"; for old types, the card's peak."""
    match = re.fullmatch(
        r"(?:Up to )?(?:(\d+)x )?(\d+(?:\.\d+)?) Gigabit", info["NetworkPerformance"]
    )
    if match:
        return int(match[1] or 1) * float(match[2])
    (card,) = info["NetworkCards"]  # "High", "Moderate", ...
    return float(card["PeakBandwidthInGbps"])


def _terms(facts: Mapping[str, Any]) -> Row:
    return {
        "usage": [each for each in _USAGE if each in facts["SupportedUsageClasses"]],
        "placement": facts["PlacementGroupInfo"]["SupportedStrategies"],
        "boot": facts["SupportedBootModes"],
        "metal": facts["BareMetal"],
        "burstable": facts["BurstablePerformanceSupported"],
        "current": facts["CurrentGeneration"],
    }

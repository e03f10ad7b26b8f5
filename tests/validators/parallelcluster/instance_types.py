"""EC2's instance types and where they are offered, from moto's copy of the API's own answers."""

from __future__ import annotations

import gzip
import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

_P6E_GB200 = Path(__file__).with_name("p6e_gb200.json")


def instance_facts() -> Path:
    """moto's folder of EC2's answers, found in the running interpreter without importing moto."""
    spec = importlib.util.find_spec("moto")
    if spec is None or spec.origin is None:
        raise RuntimeError(
            "moto is not installed: the validators take EC2's instance facts from it"
        )
    return Path(spec.origin).parent / "ec2" / "resources"


@cache
def instance_types(resources: Path) -> dict[str, dict[str, Any]]:
    """Type name to DescribeInstanceTypes entry, p6e-gb200 included."""
    table: dict[str, dict[str, Any]] = _read(resources / "instance_types.json.gz")
    ultraserver = _p6e_gb200()
    return {**table, ultraserver["InstanceType"]: ultraserver}


@cache
def offered_in(resources: Path, region: str) -> list[str]:
    """The types offered in a region; every type where moto has no list (GovCloud, China)."""
    path = resources / "instance_type_offerings" / "region" / f"{region}.json.gz"
    if not path.exists():
        return list(instance_types(resources))
    local_zone = ["p6e-gb200.36xlarge"] if region == "us-east-1" else []
    return [offer["InstanceType"] for offer in _read(path)] + local_zone


def _read(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as text:
        return json.load(text)


def _p6e_gb200() -> dict[str, Any]:
    assumed = json.loads(_P6E_GB200.read_text(encoding="utf-8"))
    cards = [
        {"NetworkCardIndex": index, "MaximumNetworkInterfaces": 4, "InterfaceTypes": types}
        for index, types in enumerate(assumed["interface_types_of_cards"])
    ]
    network = {
        "MaximumNetworkCards": len(cards),
        "DefaultNetworkCardIndex": 0,
        "NetworkCards": cards,
        "Ipv4AddressesPerInterface": 50,
        "EfaSupported": True,
        "EfaInfo": {"MaximumEfaInterfaces": assumed["efa_cards"]},
        "EnaSupport": "required",
    }
    return {**assumed["record"], "NetworkInfo": network}

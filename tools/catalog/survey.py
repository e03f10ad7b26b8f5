"""EC2's data about instance types: the source of the catalog.

Only :mod:`tools.catalog.build` imports this module; compiling a spec never does.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Facts = Mapping[str, Mapping[str, Any]]
"""Instance type -> its object in DescribeInstanceTypes."""

Offerings = Mapping[str, Mapping[str, frozenset[str]]]
"""Region -> zone id -> offered types."""


@dataclass(frozen=True, slots=True)
class Survey:
    """DescribeInstanceTypes and DescribeInstanceTypeOfferings, with their source."""

    facts: Facts
    offerings: Offerings
    source: str
    date: str


def from_moto() -> Survey:
    """The recorded responses in moto: all types, 30 commercial regions.

    :raises FileNotFoundError: if moto is not installed.
    """
    root = _moto_root() / "ec2" / "resources"
    folder = root / "instance_type_offerings" / "availability-zone-id"
    offerings = {
        path.name.removesuffix(".json.gz"): _by_zone(_read(path))
        for path in sorted(folder.glob("*.json.gz"))
    }
    version = importlib.metadata.version("moto")
    source = (
        f"DescribeInstanceTypes and DescribeInstanceTypeOfferings as recorded in moto {version}"
    )
    return Survey(_read(root / "instance_types.json.gz"), offerings, source, _MOTO_DATES[version])


# When a moto release recorded its responses: the file times in its wheel.
_MOTO_DATES = {"5.2.5": "2026-10-27"}


def from_aws(region: str, date: str) -> Survey:
    """The same data for one region, from the caller's account."""
    ec2 = importlib.import_module("boto3").client("ec2", region_name=region)
    described = ec2.get_paginator("describe_instance_types").paginate()
    facts = {found["InstanceType"]: found for page in described for found in page["InstanceTypes"]}
    offered = ec2.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone-id"
    )
    pairs = [pair for page in offered for pair in page["InstanceTypeOfferings"]]
    source = f"DescribeInstanceTypes and DescribeInstanceTypeOfferings in {region}"
    return Survey(facts, {region: _by_zone(pairs)}, source, date)


def merged(old: Survey, new: Survey) -> Survey:
    """``old``, in which the types and regions of ``new`` replace the old ones."""
    return Survey(
        {**old.facts, **new.facts},
        {**old.offerings, **new.offerings},
        f"{old.source} ({old.date}); then {new.source}",
        new.date,
    )


def hyperpod_types() -> tuple[frozenset[str], frozenset[str], str]:
    """Types that HyperPod accepts and that training plans offer, without ``ml.``; and the source.

    From the enums ClusterInstanceType and ReservedCapacityInstanceType of botocore's model.
    """
    loader = importlib.import_module("botocore.loaders").Loader()
    shapes = loader.load_service_model("sagemaker", "service-2")["shapes"]
    cluster, plans = (
        frozenset(name.removeprefix("ml.") for name in shapes[shape]["enum"])
        for shape in ("ClusterInstanceType", "ReservedCapacityInstanceType")
    )
    version = importlib.metadata.version("botocore")
    return cluster, plans, f"botocore {version}: sagemaker ClusterInstanceType and others"


def _moto_root() -> Path:
    # find_spec does not import moto, which takes seconds.
    found = importlib.util.find_spec("moto")
    if found is None or found.origin is None:
        raise FileNotFoundError("moto is not installed: pip install moto==5.2.5")
    return Path(found.origin).parent


def _read(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def _by_zone(pairs: Iterable[Mapping[str, str]]) -> dict[str, frozenset[str]]:
    zones: dict[str, set[str]] = {}
    for pair in pairs:
        zones.setdefault(pair["Location"], set()).add(pair["InstanceType"])
    return {zone: frozenset(types) for zone, types in sorted(zones.items())}

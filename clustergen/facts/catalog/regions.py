"""Partitions, regions and zones.

Zone ids (``use1-az6``) mean the same place in every account. Zone names (``us-east-1a``) do not, so
the catalog never uses them as keys.
https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html (2026-08)
"""

import difflib
import functools
import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from clustergen.base.patterns import pattern
from clustergen.base.text_lists import words


class Partition(NamedTuple):
    """An isolated set of regions with its own ARNs and host names."""

    name: str
    dns_suffix: str


# botocore 1.44.5 data/partitions.json and endpoints.json (2026-11)
PARTITIONS = {
    "aws": Partition("aws", "amazonaws.com"),
    "aws-us-gov": Partition("aws-us-gov", "amazonaws.com"),
    "aws-cn": Partition("aws-cn", "amazonaws.com.cn"),
}

# Region -> prefix of its zone ids; botocore 1.44.5 data/partitions.json (2026-11) and
# https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html
ZONE_PREFIXES: Mapping[str, str] = dict(
    pair.split("=")
    for pair in words("""
        af-south-1=afs1 ap-east-1=ape1 ap-east-2=ape2 ap-northeast-1=apne1 ap-northeast-2=apne2
        ap-northeast-3=apne3 ap-south-1=aps1 ap-south-2=aps2 ap-southeast-1=apse1
        ap-southeast-2=apse2 ap-southeast-3=apse3 ap-southeast-4=apse4 ap-southeast-5=apse5
        ap-southeast-6=apse6 ap-southeast-7=apse7 ca-central-1=cac1 ca-west-1=caw1 cn-north-1=cnn1
        cn-northwest-1=cnnw1 eu-central-1=euc1 eu-central-2=euc2 eu-north-1=eun1 eu-south-1=eus1
        eu-south-2=eus2 eu-west-1=euw1 eu-west-2=euw2 eu-west-3=euw3 il-central-1=ilc1
        me-central-1=mec1 me-south-1=mes1 mx-central-1=mxc1 sa-east-1=sae1 us-east-1=use1
        us-east-2=use2 us-gov-east-1=usge1 us-gov-west-1=usgw1 us-west-1=usw1 us-west-2=usw2
    """)
)

REGIONS: tuple[str, ...] = tuple(ZONE_PREFIXES)

_REGION_OF_PREFIX = {prefix: region for region, prefix in ZONE_PREFIXES.items()}
_ZONE_ID = pattern(r"([a-z]+\d+)(?:-[a-z]+\d+)?-[a-z]+\d+")
_ZONE_NAME = pattern(r"([a-z]+(?:-gov)?-[a-z]+-\d+)(?:[a-z]|(?:-[a-z]+\d*)?-[a-z]+-\d+[a-z])")


def partition_of(region: str) -> Partition:
    """The partition of ``region``, by the prefix of its name; ``aws`` if it is unknown."""
    if region.startswith("us-gov-"):
        return PARTITIONS["aws-us-gov"]
    return PARTITIONS["aws-cn" if region.startswith("cn-") else "aws"]


def zone_prefix(region: str) -> str:
    """``use1`` for ``us-east-1``. Raises KeyError for a region not in :data:`REGIONS`."""
    return ZONE_PREFIXES[region]


def is_zone_id(zone: str) -> bool:
    """Whether ``zone`` has the form of a zone id (``use1-az6``), even of an unknown region."""
    return _ZONE_ID.fullmatch(zone) is not None


@functools.lru_cache(maxsize=4096)
def region_of_zone(zone: str) -> str | None:
    """The region of a zone id or zone name, of an Availability Zone or a Local Zone.

    ``use1-az6``, ``us-east-1a``, ``use1-dfw2-az1`` and ``us-east-1-dfw-2a`` are all us-east-1.
    None if it has neither form, or the region is unknown.
    """
    by_id = _ZONE_ID.fullmatch(zone)
    if by_id:
        return _REGION_OF_PREFIX.get(by_id[1])
    by_name = _ZONE_NAME.fullmatch(zone)
    return by_name[1] if by_name and by_name[1] in ZONE_PREFIXES else None


def is_local_zone(zone: str) -> bool:
    """Whether the zone id or name is that of a Local Zone."""
    region = region_of_zone(zone)
    if region is None:
        return False
    start = zone_prefix(region) if is_zone_id(zone) else region
    return zone.removeprefix(start).count("-") > 1


def local_zone_group(zone: str) -> str | None:
    """The zone group of a Local Zone by id or name, ``us-east-1-dfw-2``; None for other zones."""
    region = region_of_zone(zone) if is_local_zone(zone) else None
    if region is None or not is_zone_id(zone):
        return zone.rstrip(string.ascii_lowercase) if region else None
    place = _PLACE.search(zone)
    return f"{region}-{place[1]}-{place[2]}" if place else None


_PLACE = pattern(r"-([a-z]+)([0-9]+)-az[0-9]+$")


@functools.cache
def surveyed_zones() -> Mapping[str, tuple[str, ...]]:
    """Region -> ids of the zones with any offering, for the surveyed regions.

    A region that is not a key was not surveyed; nothing follows from its absence.
    """
    path = Path(__file__).with_name("data") / "zones.json"
    read = json.loads(path.read_text(encoding="ascii"))
    return {
        region: tuple(f"{ZONE_PREFIXES[region]}-az{number}" for number in numbers)
        for region, numbers in read.items()
    }


# Zone names with these letters may exist only in some accounts:
# https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html
_LETTERS = {"ap-northeast-1": "abcd", "ca-central-1": "abcd", "us-west-1": "abc"}


def zone_letters(region: str) -> str:
    """The letters that zone names may end with; empty if the zones are unknown."""
    zones = surveyed_zones().get(region, ())
    highest = max((int(zone.rpartition("az")[2]) for zone in zones), default=0)
    return _LETTERS.get(region, string.ascii_lowercase[:highest])


def nearest(region: str) -> str | None:
    """The known region that is most similar to a mistyped name."""
    close = difflib.get_close_matches(region.lower(), REGIONS, n=1, cutoff=0.6)
    return close[0] if close else None

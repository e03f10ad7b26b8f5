"""Partitions, regions, zones and the services in them."""

import pytest

from clustergen.facts.catalog import regions, services
from tests.support.tables import by_outcome

# zone, region, written as id, Local Zone
ZONES = [
    ("use1-az6", "us-east-1", True, False),
    ("us-east-1a", "us-east-1", False, False),
    ("use1-dfw2-az1", "us-east-1", True, True),
    ("us-east-1-dfw-2a", "us-east-1", False, True),
    ("usw2-lax1-az2", "us-west-2", True, True),
    ("us-west-2-lax-1b", "us-west-2", False, True),
    ("apse3-az1", "ap-southeast-3", True, False),
    ("usgw1-az1", "us-gov-west-1", True, False),
    ("us-gov-east-1b", "us-gov-east-1", False, False),
    ("cnnw1-az3", "cn-northwest-1", True, False),
    ("cn-north-1a", "cn-north-1", False, False),
    ("use9-az1", None, True, False),
    ("us-east-9a", None, False, False),
    ("us-east-1", None, False, False),
    ("", None, False, False),
    ("\n", None, False, False),
]


@pytest.mark.parametrize(("zone", "region", "by_id", "local"), ZONES)
def test_zone(zone: str, region: str | None, by_id: bool, local: bool) -> None:
    assert regions.region_of_zone(zone) == region
    assert regions.is_zone_id(zone) is by_id
    assert regions.is_local_zone(zone) is local


# region, ARN prefix, DNS suffix
PARTITIONS = [
    ("us-east-1", "aws", "amazonaws.com"),
    ("us-gov-west-1", "aws-us-gov", "amazonaws.com"),
    ("cn-north-1", "aws-cn", "amazonaws.com.cn"),
    ("not-a-region", "aws", "amazonaws.com"),
]


@pytest.mark.parametrize(("region", "name", "dns"), PARTITIONS)
def test_partition(region: str, name: str, dns: str) -> None:
    found = regions.partition_of(region)
    assert (found.name, found.dns_suffix) == (name, dns)


NEAREST = [
    ("us-est-1", "us-west-1"),
    ("us-east1", "us-east-1"),
    ("US-EAST-2", "us-east-2"),
    ("eu-centrl-1", "eu-central-1"),
    ("frankfurt", None),
    ("", None),
]


@pytest.mark.parametrize(("region", "expected"), NEAREST)
def test_nearest_region(region: str, expected: str | None) -> None:
    assert regions.nearest(region) == expected


def test_zone_prefixes_are_distinct() -> None:
    assert len(set(regions.ZONE_PREFIXES.values())) == len(regions.REGIONS)


def test_surveyed_zones() -> None:
    surveyed = regions.surveyed_zones()
    assert surveyed["us-east-1"] == tuple(f"use1-az{n}" for n in range(1, 7))
    assert surveyed["us-west-1"] == ("usw1-az1", "usw1-az3")
    assert len(surveyed) == 30
    assert set(surveyed) < set(regions.REGIONS)
    assert "us-gov-west-1" not in surveyed


# Services in regions, by whether they are there.
@pytest.mark.parametrize(
    ("where", "expected"),
    by_outcome("""
true: [pcs us-east-1, pcs us-gov-west-1, parallelcluster us-west-1, parallelcluster cn-north-1,
  hyperpod ap-south-2, eks eu-west-3, fsx us-east-2]
false: [pcs us-west-1, pcs cn-north-1, parallelcluster ap-south-2, parallelcluster eu-south-2,
  hyperpod eu-west-3, hyperpod us-gov-east-1]
null: [pcs us-east-9]
"""),
)
def test_available(where: str, expected: bool | None) -> None:
    assert services.available(*where.split()) is expected


# service, number of regions in the three partitions
SIZES = {"pcs": 26, "parallelcluster": 28, "hyperpod": 19, "eks": 37, "fsx": 36}


@pytest.mark.parametrize("service", SIZES)
def test_every_service_has_a_source_and_a_count(service: str) -> None:
    found = services.SERVICES[service]
    assert found.source
    assert found.date
    assert len(found.regions) == SIZES[service]


NEAR = [
    ("pcs", "us-west-1", ("us-east-1", "us-east-2", "us-west-2")),
    ("hyperpod", "af-south-1", ("ap-northeast-1", "ap-northeast-2", "ap-south-1")),
    ("parallelcluster", "us-gov-west-1", ("us-gov-east-1", "us-gov-west-1")),
    ("hyperpod", "us-gov-west-1", ()),
]


@pytest.mark.parametrize(("service", "region", "expected"), NEAR)
def test_nearest_with_service(service: str, region: str, expected: tuple[str, ...]) -> None:
    assert services.SERVICES[service].nearest(region)[:3] == expected

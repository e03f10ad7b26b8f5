"""Sizes and speeds of file systems."""

import pytest

from clustergen.facts import catalog
from clustergen.facts.catalog import fsx

# deployment, storage, MB/s/TiB, EFA, GiB, allowed, next allowed
SIZES = [
    ("SCRATCH_1", "SSD", None, False, 2400, True, 2400),
    ("SCRATCH_1", "SSD", None, False, 4800, False, 7200),
    ("SCRATCH_2", "SSD", None, False, 1200, True, 1200),
    ("SCRATCH_2", "SSD", None, False, 1201, False, 2400),
    ("PERSISTENT_1", "SSD", 200, False, 3600, False, 4800),
    ("PERSISTENT_1", "HDD", 12, False, 6000, True, 6000),
    ("PERSISTENT_1", "HDD", 40, False, 6000, False, 7200),
    ("PERSISTENT_2", "SSD", 125, False, 4800, True, 4800),
    ("PERSISTENT_2", "SSD", 125, False, 5000, False, 7200),
    ("PERSISTENT_2", "SSD", 1000, True, 4800, True, 4800),
    ("PERSISTENT_2", "SSD", 500, True, 4800, False, 9600),
    ("PERSISTENT_2", "SSD", 250, True, 38400, True, 38400),
    ("PERSISTENT_2", "SSD", 125, True, 4800, False, 38400),
    ("PERSISTENT_2", "SSD", 125, False, 0, False, 1200),
]


@pytest.mark.parametrize("case", SIZES, ids=str)
def test_size(case: tuple[str, str, int | None, bool, int, bool, int]) -> None:
    deployment, storage, throughput, efa, size, allowed, up = case
    kind = fsx.lustre_class(deployment, storage)
    assert kind is not None
    steps = kind.sizes(throughput, efa=efa)
    assert steps is not None
    assert (steps.allows(size), steps.up(size)) == (allowed, up)


def test_no_size() -> None:
    tiering = fsx.lustre_class("PERSISTENT_2", "INTELLIGENT_TIERING")
    assert tiering is not None
    assert tiering.sizes(None) is None
    scratch = fsx.lustre_class("SCRATCH_2")
    assert scratch is not None
    assert scratch.sizes(None, efa=True) is None
    assert fsx.lustre_class("PERSISTENT_2", "HDD") is None
    assert fsx.lustre_class("PERSISTENT_9") is None


THROUGHPUTS = {
    "SCRATCH_1 SSD": (),
    "SCRATCH_2 SSD": (),
    "PERSISTENT_1 SSD": (50, 100, 200),
    "PERSISTENT_1 HDD": (12, 40),
    "PERSISTENT_2 SSD": (125, 250, 500, 1000),
    "PERSISTENT_2 INTELLIGENT_TIERING": (),
}


def test_throughputs() -> None:
    assert {kind.name: kind.throughputs for kind in fsx.LUSTRE} == THROUGHPUTS


# steps, number, allowed, up, down
STEPS = [
    ("SSD", 1500, True, 1500, 1500),
    ("SSD", 1000, False, 1500, None),
    ("SSD", 5000, False, 6000, 3000),
    ("SSD", 12000, True, 12000, 12000),
    ("SSD", 18000, False, 24000, 12000),
    ("SSD", 192000, True, 192000, 192000),
    ("SSD", 204000, False, 192000, 192000),
    ("INTELLIGENT_TIERING", 12000, True, 12000, 12000),
    ("INTELLIGENT_TIERING", 3000, False, 6000, None),
    ("INTELLIGENT_TIERING", 18000, False, 12000, 12000),
]


@pytest.mark.parametrize(("storage", "number", "allowed", "up", "down"), STEPS)
def test_metadata_iops(storage: str, number: int, allowed: bool, up: int, down: int | None) -> None:
    steps = fsx.METADATA_IOPS[fsx.Storage(storage)]
    assert (steps.allows(number), steps.up(number), steps.down(number)) == (allowed, up, down)


AUTOMATIC = [(1200, 1500), (2400, 3000), (9600, 6000), (38400, 12000), (48000, 24000)]


@pytest.mark.parametrize(("size", "iops"), AUTOMATIC)
def test_automatic_metadata_iops(size: int, iops: int) -> None:
    assert fsx.automatic_metadata_iops(size) == iops


# deployment, storage, GiB, MB/s, metadata IOPS, EFA, addresses
ADDRESSES = [
    ("SCRATCH_2", "SSD", 1200, None, None, False, 2),
    ("SCRATCH_2", "SSD", 7200, None, None, False, 4),
    ("PERSISTENT_1", "HDD", 12000, 12, None, False, 3),
    ("PERSISTENT_2", "SSD", 38400, 250, 12000, False, 17),
    ("PERSISTENT_2", "SSD", 38400, 250, 12000, True, 3),
    ("PERSISTENT_2", "SSD", 38400, 250, 24000, True, 4),
    ("PERSISTENT_2", "INTELLIGENT_TIERING", 0, 8000, 6000, False, 3),
]


@pytest.mark.parametrize("case", ADDRESSES, ids=str)
def test_addresses(case: tuple[str, str, int, int | None, int | None, bool, int]) -> None:
    deployment, storage, size, throughput, iops, efa, expected = case
    kind = fsx.lustre_class(deployment, storage)
    assert kind is not None
    counted = fsx.lustre_addresses(
        kind, capacity_gib=size, throughput=throughput, metadata_iops=iops, efa=efa
    )
    assert counted == expected


# instance type, reaches Lustre over EFA
CLIENTS = [
    ("p4d.24xlarge", False),
    ("g5.48xlarge", False),
    ("p5.48xlarge", True),
    ("p5en.48xlarge", True),
    ("p6-b300.48xlarge", True),
    ("trn1.32xlarge", True),
    ("trn2.48xlarge", False),
    ("m7i.4xlarge", False),
]


@pytest.mark.parametrize(("name", "efa"), CLIENTS)
def test_clients(name: str, efa: bool) -> None:
    instance = catalog.find(name)
    assert instance is not None
    assert fsx.efa_client(instance) == efa


REGIONS = [
    ("us-east-1", "use1-az6", fsx.Persistent2.FULL),
    ("us-east-1", "use1-dfw2-az1", fsx.Persistent2.SLOW),
    ("us-east-1", "us-east-1-dfw-2a", fsx.Persistent2.SLOW),
    ("il-central-1", "", fsx.Persistent2.SLOW),
    ("sa-east-1", "", fsx.Persistent2.NONE),
    ("cn-north-1", "", None),
]


@pytest.mark.parametrize(("region", "zone", "expected"), REGIONS)
def test_persistent_2_regions(region: str, zone: str, expected: fsx.Persistent2 | None) -> None:
    assert fsx.persistent_2_in(region, zone) is expected


OPENZFS = [("SINGLE_AZ_1", 64), ("SINGLE_AZ_2", 160), ("SINGLE_AZ_HA_2", 160), ("MULTI_AZ_1", 160)]


@pytest.mark.parametrize(("deployment", "least"), OPENZFS)
def test_openzfs(deployment: str, least: int) -> None:
    kind = fsx.openzfs_class(deployment)
    assert kind is not None
    assert kind.throughputs[0] == least


def test_no_such_openzfs() -> None:
    assert fsx.openzfs_class("MULTI_AZ_9") is None

"""Rules on EBS volumes: shared ones, and the boot volumes of nodes."""

import pytest

from tests.rules.storage.planning import codes, validated
from tests.support.tables import by_outcome

# By code: types, sizes, IOPS and throughputs (0: not given).
VOLUMES = [
    (type, *map(int, numbers), codes.split())
    for volume, codes in by_outcome("""
'': [gp3 1 0 0, gp3 65536 0 0, gp2 16384 0 0, io2 4 100 0, sc1 125 0 0, gp3 200 3000 0,
  io1 200 0 0, io2 200 0 0, io1 2000 64000 0, io1 100 5000 0, io2 100 100000 0, gp3 1 3000 0,
  gp3 8 4000 0, gp3 200 0 125, gp3 200 0 750, gp3 200 8000 2000]
STG008: [gp3 65537 0 0, gp2 16385 0 0, io1 3 100 0, st1 124 0 0]
STG009: [gp3 200 2999 0, gp3 200 80001 0, gp2 200 3000 0, st1 200 3000 0, io1 2000 64001 0]
STG010: [io1 100 5001 0, io2 100 100001 0, gp3 8 4001 0]
STG011: [gp3 200 0 124, gp3 200 9000 2001, gp2 200 0 250, io2 200 3000 250]
STG012: [gp3 200 0 751, gp3 200 7999 2000]
""")
    for type, *numbers in [volume.split()]
]
BOOT_TYPES = ("gp3", "gp2", "io1", "io2")


def _fields(size: int, iops: int, throughput: int) -> str:
    given = {"iops": iops, "throughput": throughput}
    return ", ".join([f"size: {size}GiB", *(f"{key}: {n}" for key, n in given.items() if n)])


@pytest.mark.parametrize(("type", "size", "iops", "throughput", "expected"), VOLUMES)
def test_shared_volume(
    type: str, size: int, iops: int, throughput: int, expected: list[str]
) -> None:
    fields = _fields(size, iops, throughput)
    assert codes(f"storage: [{{mount: /s, type: ebs, volume_type: {type}, {fields}}}]") == expected


@pytest.mark.parametrize(
    ("type", "size", "iops", "throughput", "expected"),
    [row for row in VOLUMES if row[0] in BOOT_TYPES],
)
def test_boot_volume(type: str, size: int, iops: int, throughput: int, expected: list[str]) -> None:
    volume = f"root_volume: {{type: {type}, {_fields(size, iops, throughput)}}}"
    for owner in (
        f"head_node: {{instance_type: m7i.4xlarge, {volume}}}",
        f"login: {{instance_type: m7i.xlarge, {volume}}}",
        f"node_groups: [{{name: h200, {volume}}}]",
    ):
        found = [f for f in validated(owner) if f.code.startswith("STG")]
        assert [f.code for f in found] == expected
        assert all("root_volume" in f.path for f in found)


@pytest.mark.parametrize(
    ("fields", "help"),
    [
        ("volume_type: st1, size: 1GiB", "125GiB to 16384GiB; nearest: 125GiB"),
        ("size: 8GiB, iops: 4001", "at most 4000, or size: 9GiB"),
        ("size: 80GiB, throughput: 1000", "write iops: 4000, or throughput: 750"),
        ("size: 80GiB, iops: 90000", "3000 to 80000; nearest: 80000"),
    ],
)
def test_help(fields: str, help: str) -> None:
    (finding,) = validated(f"storage: [{{mount: /s, type: ebs, {fields}}}]")
    assert finding.help == help


def test_size_is_needed() -> None:
    assert codes("storage: [{mount: /s, type: ebs}]") == ["STG007"]
    existing = "existing: {id: vol-0123456789abcdef0}"
    assert codes(f"storage: [{{mount: /s, type: ebs, {existing}}}]") == []

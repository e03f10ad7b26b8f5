"""Arithmetic of file systems, over every class that the tables know."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.facts.catalog.fsx import (
    INTELLIGENT_TIERING_MBPS,
    LUSTRE,
    METADATA_IOPS,
    OPENZFS,
    LustreClass,
    Steps,
    lustre_class,
)
from clustergen.plan import fsx
from clustergen.plan.model import Efs, Lustre, OpenZfs, Ref, Storage

SIZES = st.integers(0, 3_000_000)


def _sizes() -> list[Steps]:
    """Every rule of sizes there is: class by class, with and without EFA."""
    each = [*LUSTRE, *LUSTRE]
    steps = [
        kind.sizes(throughput, efa=efa)
        for efa in (False, True)
        for kind in each
        for throughput in (*kind.throughputs, None)
    ]
    return [one for one in steps if one] + [*METADATA_IOPS.values(), INTELLIGENT_TIERING_MBPS]


STEPS = st.sampled_from(_sizes())
TIERS = st.sampled_from([k.throughputs for k in (*LUSTRE, *OPENZFS) if k.throughputs])


@given(STEPS, SIZES)
def test_the_nearest_numbers_are_allowed(steps: Steps, number: int) -> None:
    assert all(steps.allows(near) for near in fsx.around(steps, number))


@given(STEPS, SIZES)
def test_an_allowed_number_is_its_own_nearest(steps: Steps, number: int) -> None:
    assert (fsx.around(steps, number) == (number,)) == steps.allows(number)


@given(STEPS, SIZES)
def test_the_nearest_numbers_are_adjacent(steps: Steps, number: int) -> None:
    near = fsx.around(steps, number)
    if len(near) == 2:
        below, above = near
        assert below < number < above
        assert not any(
            steps.allows(between) for between in range(below + 1, min(above, below + 50))
        )
        assert not any(
            steps.allows(between) for between in range(max(below + 1, above - 50), above)
        )
    elif not steps.allows(number):
        assert number < steps.least or number > (steps.most or 0)


@given(STEPS, SIZES, SIZES)
def test_the_nearest_numbers_are_monotonic(steps: Steps, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert fsx.around(steps, low)[0] <= fsx.around(steps, high)[0]
    assert fsx.around(steps, low)[-1] <= fsx.around(steps, high)[-1]


@given(TIERS, st.integers(1, 12_000))
def test_the_nearest_tiers(tiers: tuple[int, ...], number: int) -> None:
    near = fsx.beside(tiers, number)
    assert near
    assert set(near) <= set(tiers)
    assert (near == (number,)) == (number in tiers)
    assert list(near) == sorted(near)


@given(st.sampled_from(LUSTRE), st.none() | SIZES, st.booleans())
def test_defaults_are_allowed(kind: LustreClass, size: int | None, efa: bool) -> None:
    efa = efa and bool(kind.efa_capacity)
    throughput = fsx.default_throughput(kind, size, efa=efa)
    least = fsx.default_size(kind, throughput, efa=efa)
    steps = kind.sizes(throughput, efa=efa)
    if kind.throughputs:
        assert throughput in kind.throughputs
    if least is not None:
        assert steps is not None
        assert steps.allows(least)
        assert not any(steps.allows(smaller) for smaller in range(1, least))


@given(st.sampled_from(LUSTRE), SIZES, st.booleans())
def test_a_size_determines_an_allowed_throughput(kind: LustreClass, size: int, efa: bool) -> None:
    efa = efa and bool(kind.efa_capacity)
    allowing = [t for t in kind.throughputs if (s := kind.sizes(t, efa=efa)) and s.allows(size)]
    assert not allowing or fsx.default_throughput(kind, size, efa=efa) in allowing


P1, HDD, P2 = (
    lustre_class("PERSISTENT_1"),
    lustre_class("PERSISTENT_1", "HDD"),
    lustre_class("PERSISTENT_2"),
)


@pytest.mark.parametrize(
    ("kind", "size", "efa", "throughput"),
    [
        *((P2, size, False, 250) for size in (None, 1200)),
        *((P2, size, True, 250) for size in (None, 1200, 19200, 38400)),
        (P2, 9600, True, 500),
        (P2, 4800, True, 1000),
        (P1, None, False, 200),
        (HDD, None, False, 12),
        (HDD, 1800, False, 40),
        (HDD, 6000, False, 12),
        (lustre_class("SCRATCH_2"), 1200, False, None),
        (lustre_class("PERSISTENT_2", "INTELLIGENT_TIERING"), None, False, 4000),
    ],
)
def test_default_throughput(
    kind: LustreClass, size: int | None, efa: bool, throughput: int | None
) -> None:
    assert fsx.default_throughput(kind, size, efa=efa) == throughput


def _common(existing: bool = False) -> dict[str, object]:
    name = Ref("StorageFsxDnsName")
    return {
        "path": ("storage", 0),
        "mount": "/fsx",
        "output": "StorageFsx",
        "existing": existing,
        "id": Ref("StorageFsxId"),
        "retain": True,
        "dns_name": name,
    }


def _lustre(existing: bool = False, **more: object) -> Lustre:
    return Lustre(**(_common(existing) | {"mount_name": None} | more))  # type: ignore[arg-type]


def _openzfs(deployment: str) -> OpenZfs:
    return OpenZfs(**_common(), volume=None, deployment=deployment)  # type: ignore[arg-type]


# One address for each object storage server and each metadata server:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
@pytest.mark.parametrize(
    ("item", "addresses"),
    [
        (_lustre(size_gib=1200, throughput=250), 2),
        (_lustre(size_gib=2400, throughput=250), 2),
        (_lustre(size_gib=4800, throughput=250), 3),
        (_lustre(size_gib=48000, throughput=250), 21),
        (_lustre(size_gib=38400, throughput=250, efa=True, metadata_iops="AUTOMATIC"), 3),
        (_lustre(size_gib=38400, throughput=1000, efa=True, metadata_iops="AUTOMATIC"), 9),
        (_lustre(size_gib=2400, throughput=250, metadata_iops=12000), 2),
        (_lustre(size_gib=2400, throughput=250, metadata_iops=24000), 3),
        (_lustre(deployment="SCRATCH_1", size_gib=7200), 3),
        (_lustre(deployment="PERSISTENT_1", storage_class="HDD", size_gib=12000, throughput=12), 3),
        (_lustre(storage_class="INTELLIGENT_TIERING", throughput=8000, metadata_iops=6000), 3),
        (_lustre(deployment="SCRATCH_2", storage_class="HDD", size_gib=6000), 0),
        (_lustre(existing=True, size_gib=4800), 0),
        (_openzfs("SINGLE_AZ_2"), 1),
        (_openzfs("SINGLE_AZ_HA_2"), 3),
        (Efs(**_common()), 1),  # type: ignore[arg-type]
    ],
)
def test_addresses(item: Storage, addresses: int) -> None:
    assert fsx.addresses(item) == addresses


def test_metadata_iops_follow_the_size() -> None:
    sizes = (1200, 2400, 9600, 45600, 48000, 960_000)
    found = [fsx.metadata_iops(_lustre(size_gib=s, metadata_iops="AUTOMATIC")) for s in sizes]
    assert found == [1500, 3000, 6000, 12000, 24000, 192_000]
    assert all(
        low is not None and high is not None and low <= high for low, high in pairwise(found)
    )
    assert fsx.metadata_iops(_lustre(size_gib=1200)) is None
    assert fsx.metadata_iops(_lustre(size_gib=1200, metadata_iops=3000)) == 3000

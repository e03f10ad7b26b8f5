"""Sizes and performance of EBS volumes.

https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html and EbsBlockDevice of the EC2
model of botocore 1.44.5 (2026-11).
"""

from collections.abc import Mapping
from typing import NamedTuple


class VolumeType(NamedTuple):
    """One volume type; ranges are (minimum, maximum), None if the value must not be set."""

    gib: tuple[int, int]
    iops: tuple[int, int] | None = None
    iops_per_gib: int | None = None
    """Maximum IOPS per GiB."""
    default_iops: int | None = None
    """None if EC2 requires a value."""
    mibps: tuple[int, int] | None = None
    iops_per_mibps: int = 1
    """IOPS needed per MiB/s of throughput."""


_16_TIB, _64_TIB = 16_384, 65_536


def provisioned_iops(type: str, given: int | None) -> int | None:
    """``given`` IOPS, or else the minimum for io1 and io2, which have no default."""
    kind = VOLUME_TYPES[type]
    needed = kind.iops and kind.default_iops is None
    return kind.iops[0] if given is None and kind.iops and needed else given


VOLUME_TYPES: Mapping[str, VolumeType] = {
    "gp3": VolumeType((1, _64_TIB), (3_000, 80_000), 500, 3_000, (125, 2_000), 4),
    "gp2": VolumeType((1, _16_TIB)),
    "io1": VolumeType((4, _16_TIB), (100, 64_000), 50),
    "io2": VolumeType((4, _64_TIB), (100, 256_000), 1_000),
    "st1": VolumeType((125, _16_TIB)),
    "sc1": VolumeType((125, _16_TIB)),
}
"""Some tools do not support gp3 above 16 TiB, 16,000 IOPS or 1,000 MiB/s yet."""

"""Sizes and performance of FSx for Lustre, FSx for OpenZFS and EFS.

Lustre: https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html,
https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html (2026-08) and
the CreateFileSystem model of botocore 1.44.5 (2026-11). Sizes are GiB as the API counts them.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from clustergen.base.text_lists import words
from clustergen.facts.catalog import families
from clustergen.facts.catalog.instance import InstanceType

AUTOMATIC_CACHE_GIB_PER_MBPS = 5
"""Of SSD with Intelligent-Tiering, 20,000 GiB for 4,000 MB/s, which are provisioned and billed.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-ssd-read-cache.html (2026-11)
"""


class Deployment(enum.StrEnum):
    """``LustreConfiguration.DeploymentType``; the API's default is SCRATCH_1."""

    SCRATCH_1 = "SCRATCH_1"
    SCRATCH_2 = "SCRATCH_2"
    PERSISTENT_1 = "PERSISTENT_1"
    PERSISTENT_2 = "PERSISTENT_2"


class Storage(enum.StrEnum):
    """``StorageType``. Intelligent-Tiering is a storage type of PERSISTENT_2, not a deployment."""

    SSD = "SSD"
    HDD = "HDD"
    INTELLIGENT_TIERING = "INTELLIGENT_TIERING"


class Steps(NamedTuple):
    """Allowed numbers: some small ones, then every multiple of ``step`` up to ``most``."""

    step: int
    small: tuple[int, ...] = ()
    most: int | None = None

    @property
    def least(self) -> int:
        """The smallest allowed number."""
        return min(*self.small, self.step) if self.small else self.step

    def allows(self, number: int) -> bool:
        if self.most is not None and number > self.most:
            return False
        return number in self.small or (number > 0 and number % self.step == 0)

    def up(self, number: int) -> int:
        """The smallest allowed number not below ``number``, or else the largest."""
        multiple = max(1, -(-number // self.step)) * self.step
        found = min([one for one in self.small if one >= number] + [multiple])
        return found if self.most is None else min(found, self.most)

    def down(self, number: int) -> int | None:
        """The largest allowed number not above ``number``; None below the smallest."""
        number = number if self.most is None else min(number, self.most)
        multiple = number // self.step * self.step
        return max([one for one in (*self.small, multiple) if 0 < one <= number], default=None)


@dataclass(frozen=True, slots=True)
class LustreClass:
    """One kind of Lustre file system that FSx can create."""

    deployment: Deployment
    storage: Storage
    throughputs: tuple[int, ...] = ()
    """``PerUnitStorageThroughput``, MB/s per TiB; empty if it must not be set."""
    capacity: Mapping[int | None, Steps] = field(default_factory=dict)
    """Throughput, or None if it does not matter -> ``StorageCapacity``; empty for
    Intelligent-Tiering, where it must not be set. A step is what one object storage server (and so
    one address) holds."""
    efa_capacity: Mapping[int, Steps] = field(default_factory=dict)
    """The same for ``EfaEnabled``; empty without EFA support."""

    @property
    def name(self) -> str:
        """``PERSISTENT_2 SSD``."""
        return f"{self.deployment} {self.storage}"

    def sizes(self, throughput: int | None, *, efa: bool = False) -> Steps | None:
        """The allowed ``StorageCapacity``; None if it cannot be set."""
        if efa:
            return self.efa_capacity.get(throughput or 0)
        return self.capacity.get(throughput) or self.capacity.get(None)


_BY_2400 = Steps(2400, (1200,))

LUSTRE = (
    LustreClass(Deployment.SCRATCH_1, Storage.SSD, capacity={None: Steps(3600, (1200, 2400))}),
    LustreClass(Deployment.SCRATCH_2, Storage.SSD, capacity={None: _BY_2400}),
    LustreClass(
        Deployment.PERSISTENT_1,
        Storage.SSD,
        throughputs=(50, 100, 200),
        capacity={None: _BY_2400},
    ),
    LustreClass(
        Deployment.PERSISTENT_1,
        Storage.HDD,
        throughputs=(12, 40),
        capacity={12: Steps(6000), 40: Steps(1800)},
    ),
    LustreClass(
        Deployment.PERSISTENT_2,
        Storage.SSD,
        throughputs=(125, 250, 500, 1000),
        capacity={None: _BY_2400},
        efa_capacity={125: Steps(38400), 250: Steps(19200), 500: Steps(9600), 1000: Steps(4800)},
    ),
    LustreClass(Deployment.PERSISTENT_2, Storage.INTELLIGENT_TIERING),
)


def lustre_class(deployment: str, storage: str = "SSD") -> LustreClass | None:
    """The class for this deployment and storage type; None if FSx lacks the combination."""
    return next((c for c in LUSTRE if c.deployment == deployment and c.storage == storage), None)


INTELLIGENT_TIERING_MBPS = Steps(4000, most=2_000_000)
"""``ThroughputCapacity`` of an Intelligent-Tiering file system, MB/s of the file system."""

# MetadataConfiguration: PERSISTENT_2 only, makes the file system version 2.15, cannot be added
# later and is required by EfaEnabled and by Intelligent-Tiering.
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html (2026-08)
METADATA_IOPS: Mapping[Storage, Steps] = {
    Storage.SSD: Steps(12000, (1500, 3000, 6000), most=192_000),
    Storage.INTELLIGENT_TIERING: Steps(6000, most=12000),
}
"""Values for ``USER_PROVISIONED``. ``AUTOMATIC`` is for SSD only."""

_AUTOMATIC_IOPS = ((1200, 1500), (2400, 3000), (9600, 6000), (45600, 12000))


def automatic_metadata_iops(capacity_gib: int) -> int:
    """The metadata IOPS of an SSD file system of this size in mode ``AUTOMATIC``."""
    for up_to, iops in _AUTOMATIC_IOPS:
        if capacity_gib <= up_to:
            return iops
    return min(capacity_gib // 24000 * 12000, METADATA_IOPS[Storage.SSD].most or 0)


METADATA_IOPS_PER_SERVER = 12000


def lustre_addresses(
    kind: LustreClass,
    *,
    capacity_gib: int = 0,
    throughput: int | None = None,
    metadata_iops: int | None = None,
    efa: bool = False,
) -> int:
    """IP addresses that the file system uses in its subnet: one per object and metadata server.

    ``throughput`` is in MB/s per TiB; for Intelligent-Tiering, in MB/s of the file system.
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html (2026-08)
    """
    if kind.storage is Storage.INTELLIGENT_TIERING:
        per_server, amount = INTELLIGENT_TIERING_MBPS.step, throughput or 0
    else:
        steps = kind.sizes(throughput, efa=efa) or kind.sizes(throughput)
        per_server, amount = steps.step if steps else _BY_2400.step, capacity_gib
    metadata_servers = -(-(metadata_iops or 1) // METADATA_IOPS_PER_SERVER)
    return max(1, -(-amount // per_server)) + metadata_servers


MAX_DATA_REPOSITORIES = 8
"""Data repository associations of one file system; none on SCRATCH_1 and Intelligent-Tiering."""

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html (2026-08)
LUSTRE_TCP_PORTS = ((988, 988), (1018, 1023))


def efa_client(instance: InstanceType) -> bool:
    """Whether the instance can use an EFA-enabled file system over EFA.

    Nitro v4 and later with EFA can, except Trn2; all others use TCP.
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html (2026-08)
    """
    new_enough = instance.efa and (instance.nitro or 0) >= 4
    return new_enough and families.find(instance.family).lustre_efa > 0


EFA_CONNECTIONS = 1024
"""EFA connections of all clients of a file system."""


class Persistent2(enum.StrEnum):
    """PERSISTENT_2 support in a region."""

    FULL = "full"
    SLOW = "125 and 250 MB/s/TiB, no EFA"
    NONE = "none"


# https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html#persistent-deployment-regions
# The copy of the page with these lists is undated (2025 or 2026): warn, do not reject.
_FULL = words("""
    us-east-1 us-east-2 us-west-1 us-west-2 ap-east-1 ap-south-1 ap-northeast-1 ap-northeast-2
    ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 eu-west-1 eu-west-2 eu-north-1
""")
_SLOW = words("ap-southeast-5 ap-east-2 ap-southeast-7 ca-west-1 il-central-1 mx-central-1")
_NONE = words("""
    af-south-1 ap-south-2 ap-southeast-3 ap-southeast-4 ap-northeast-3 eu-south-1 eu-west-3
    eu-south-2 eu-central-2 me-south-1 me-central-1 sa-east-1 us-gov-east-1 us-gov-west-1
""")
_REGION_CLASSES = {
    **dict.fromkeys(_FULL, Persistent2.FULL),
    **dict.fromkeys(_SLOW, Persistent2.SLOW),
    **dict.fromkeys(_NONE, Persistent2.NONE),
}
# Atlanta, Dallas and Phoenix; other Local Zones are not in the lists.
_SLOW_LOCAL_ZONES = words("""
    us-east-1-atl- us-east-1-dfw- us-west-2-phx- use1-atl use1-dfw usw2-phx
""")


def persistent_2_in(region: str, zone: str = "") -> Persistent2 | None:
    """Support in the region, or in the Local Zone ``zone`` (id or name); None if not documented."""
    if zone.startswith(_SLOW_LOCAL_ZONES):
        return Persistent2.SLOW
    return _REGION_CLASSES.get(region)


class OpenZfsClass(NamedTuple):
    """One deployment type of FSx for OpenZFS."""

    deployment: str
    throughputs: tuple[int, ...]
    """``ThroughputCapacity``, MB/s of the file system."""


_OPENZFS_1 = (64, 128, 256, 512, 1024, 2048, 3072, 4096)
_OPENZFS_2 = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)

# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html
# as in botocore 1.44.5 (2026-11)
OPENZFS = (
    OpenZfsClass("SINGLE_AZ_1", _OPENZFS_1),
    OpenZfsClass("SINGLE_AZ_2", _OPENZFS_2),
    OpenZfsClass("SINGLE_AZ_HA_1", _OPENZFS_1),
    OpenZfsClass("SINGLE_AZ_HA_2", _OPENZFS_2),
    OpenZfsClass("MULTI_AZ_1", _OPENZFS_2),
)
OPENZFS_GIB = (64, 524_288)
"""Minimum and maximum ``StorageCapacity``."""
OPENZFS_IOPS_PER_GIB = 3
"""Disk IOPS in mode ``AUTOMATIC``."""
# https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/limit-access-security-groups.html (2026-08)
OPENZFS_PORTS = ((111, 111), (2049, 2049), (20001, 20003))
"""Ports for TCP and UDP."""


def openzfs_class(deployment: str) -> OpenZfsClass | None:
    """The OpenZFS deployment type of this name."""
    return next((kind for kind in OPENZFS if kind.deployment == deployment), None)


EFS_PROVISIONED_MIBPS = (1, 3414)
"""Minimum and maximum ``ProvisionedThroughputInMibps``: botocore 1.44.5, efs (2026-11)."""
# https://docs.aws.amazon.com/efs/latest/ug/network-access.html (2026-08)
EFS_PORT = 2049
